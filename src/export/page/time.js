// SPDX-License-Identifier: GPL-2.0-only
//
// Writes times, which are numbers of ns, for people.

const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

// Returns "12.345 µs".
function formatTime(ns) {
	const [unit, name] = UNITS.find(([u]) => Math.abs(ns) >= u) ?? UNITS[UNITS.length - 1];
	return `${Number((ns / unit).toFixed(3))} ${name}`;
}

// Returns the time stamp in the capture, as perf prints them: "4711.000012345".
function formatStamp(base, ns) {
	const stamp = base + BigInt(Math.round(ns)), second = 1000000000n;
	return `${stamp / second}.${String(stamp % second).padStart(9, "0")}`;
}

// Returns the marks of an axis that are about so far apart (ns): where they count from, and the time and the text of each.
function axisMarks(from, to, apart) {
	const ten = 10 ** Math.floor(Math.log10(apart)), step = ten * [1, 2, 5, 10].find(n => n * ten >= apart * 0.999);
	const whole = 1000 ** Math.max(1, Math.ceil(Math.log10(to - from) / 3));
	const origin = Math.max(0, Math.floor(from / whole) * whole), unit = Math.min(whole / 1000, 1e9);
	const digits = Math.max(0, Math.ceil(Math.log10(unit / step) - 1e-6));
	const name = UNITS.find(([u]) => u === unit)[1], marks = [];
	for (let n = Math.ceil(from / step); n * step <= to; n++)
		marks.push({time: n * step, text: `${origin ? "+" : ""}${((n * step - origin) / unit).toFixed(digits)} ${name}`});
	return {origin, marks};
}
