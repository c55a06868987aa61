// SPDX-License-Identifier: GPL-2.0-only
//
// Reads what stands behind the page (export/html.h). Times are ns since the base.
"use strict";

const EVENT_END = 0, EVENT_BEGIN = 1, EVENT_ERROR = 2, EVENT_SAMPLE = 3;
// The lowest bits of a call's flags are its kind, of which the last one is a time without trace.
const KIND_MASK = 7, GAP = 7, KERNEL = 8, OVER = 16, HOW_SHIFT = 5, HOW_MASK = 3, OTHER_CPU = 128;

// Returns the first index from low to high of a sorted array whose value is not below the given one, or high.
function lowerBound(array, low, high, value) {
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (array[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// Reads numbers and texts from base64.
class Reader {
	constructor(base64) {
		const binary = atob(base64);
		this.bytes = new Uint8Array(binary.length);
		for (let i = 0; i < binary.length; i++)
			this.bytes[i] = binary.charCodeAt(i);
		this.at = 0;
	}

	get isOver() {
		return this.at >= this.bytes.length;
	}

	byte() {
		if (this.isOver)
			throw new Error("the calls are cut off");
		return this.bytes[this.at++];
	}

	// The lowest bits of the next number, which it may be too large to hold (Number.MAX_SAFE_INTEGER).
	get lowest() {
		return this.bytes[this.at] & 3;
	}

	// Bits are added up, because those of operators are 32.
	number() {
		let value = 0, byte, unit = 1;
		do {
			byte = this.byte();
			value += (byte & 0x7f) * unit;
			unit *= 128;
		} while (byte & 0x80);
		return value;
	}

	text() {
		const length = this.number();
		this.at += length;
		return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
	}
}

// The times in which a task ran, each on one CPU, as far as it tells itself.
class Runs {
	constructor(lane) {
		this.lane = lane;
		this.list = [];
		this.cpu = -1;
		this.since = null;
	}

	stop(time) {
		if (this.since !== null && time > this.since)
			this.list.push({begin: this.since, end: time, cpu: this.cpu, lane: this.lane});
		this.since = null;
	}

	goOn(time, cpu) {
		if (this.since !== null && cpu !== this.cpu)
			this.stop(time);
		this.cpu = cpu;
		this.since ??= time;
	}
}

// The calls of a task, and the times without trace, which have a place between them. They are in columns, by their depth and their
// begin, so that those of one depth stand together and none overlaps the next: rows[d] is the first one of a depth.
class Lane {
	constructor(number, about, base64) {
		const {name, pid, tid, calls} = about;
		Object.assign(this, {number, name, pid, tid, calls, errors: [], windows: [], runs: []});
		this.take(this.readEvents(new Reader(base64)));
		if (this.nr - this.gaps !== this.calls)
			throw new Error(`${this.nr - this.gaps} calls in place of ${this.calls}`);
	}

	// Returns the columns in the order of the begins, with the depth of each.
	readEvents(reader) {
		const room = (reader.bytes.length >> 2) + 1; // a call has four bytes at least
		const c = {begin: new Float64Array(room), end: new Float64Array(room), fn: new Uint32Array(room), flags: new Uint8Array(room),
			cpu: new Int32Array(room), parent: new Int32Array(room), depth: new Uint32Array(room), nr: 0, rows: []};
		const runs = new Runs(this), times = new Float64Array(2 * room);
		const samples = {time: [], path: [], cpu: []};
		let nrTimes = 0;
		let time = 0, cpu = -1, at = -1, depth = 0;
		while (!reader.isOver) {
			const event = reader.lowest;
			time += (reader.number() - event) / 4;
			if (event === EVENT_SAMPLE) {
				samples.time.push(time);
				samples.path.push(reader.number());
				samples.cpu.push(reader.number() - 1);
				continue;
			}
			times[nrTimes++] = time;
			if (event === EVENT_BEGIN) {
				const i = c.nr++;
				c.fn[i] = reader.number();
				c.flags[i] = reader.byte();
				if (c.flags[i] & OTHER_CPU)
					cpu = reader.number() - 1;
				c.begin[i] = time;
				c.cpu[i] = cpu;
				c.parent[i] = at;
				c.depth[i] = depth;
				c.rows[depth] = (c.rows[depth] ?? 0) + 1;
				depth++;
				at = i;
				if ((c.flags[i] & KIND_MASK) === GAP)
					runs.stop(time);
				else
					runs.goOn(time, cpu);
			} else if (event === EVENT_END) {
				c.end[at] = time;
				if ((c.flags[at] & KIND_MASK) === GAP)
					runs.goOn(time, cpu);
				at = c.parent[at];
				if (!--depth)
					runs.stop(time); // what comes behind all calls, nobody has seen
			} else {
				this.errors.push({time, text: reader.text()});
			}
		}
		runs.stop(nrTimes ? times[nrTimes - 1] : 0);
		this.samples = {time: Float64Array.from(samples.time), path: Uint32Array.from(samples.path), cpu: Int32Array.from(samples.cpu),
			nr: samples.time.length};
		this.ownRuns = runs.list;
		this.times = times.subarray(0, nrTimes);
		return c;
	}

	// Sorts the columns by depth; those of one depth stay in their order.
	take(c) {
		const place = new Int32Array(c.nr), next = new Uint32Array(c.rows.length + 1);
		for (let d = 0; d < c.rows.length; d++)
			next[d + 1] = next[d] + c.rows[d];
		this.rows = next.slice();
		this.nr = c.nr;
		for (let i = 0; i < c.nr; i++)
			place[i] = next[c.depth[i]]++;
		for (const name of ["begin", "end", "fn", "flags", "cpu", "parent"]) {
			const from = c[name], to = this[name] = new from.constructor(c.nr);
			for (let i = 0; i < c.nr; i++)
				to[place[i]] = from[i];
		}
		this.gaps = 0;
		for (let i = 0; i < c.nr; i++) {
			this.parent[i] = this.parent[i] < 0 ? -1 : place[this.parent[i]];
			this.gaps += this.isGap(i);
		}
		this.first = c.nr ? c.begin[0] : 0;
		this.last = this.end.reduce((last, end) => Math.max(last, end), this.samples.time[this.samples.nr - 1] ?? this.first);
	}

	isGap(i) {
		return (this.flags[i] & KIND_MASK) === GAP;
	}

	depthOf(i) {
		return lowerBound(this.rows, 0, this.rows.length, i + 1) - 1;
	}

	// Returns the indices of the first call inside of a call, and behind the last one.
	inside(i) {
		const row = this.depthOf(i) + 1;
		if (row + 1 >= this.rows.length)
			return [0, 0];
		const [low, high] = [this.rows[row], this.rows[row + 1]];
		return [lowerBound(this.parent, low, high, i), lowerBound(this.parent, low, high, i + 1)];
	}

	selfTime(i) {
		let self = this.end[i] - this.begin[i];
		const [low, high] = this.inside(i);
		for (let k = low; k < high; k++)
			self -= this.end[k] - this.begin[k];
		return self;
	}
}

// Finds a row for each window in which no other one is at that time, and notes the rows as columns.
function placeWindows(lane, last) {
	lane.windowRows = [];
	for (const window of lane.windows) {
		let row = lane.windowRows.find(r => r.end[r.end.length - 1] <= window.begin);
		if (!row)
			lane.windowRows.push(row = {begin: [], end: [], list: []});
		row.begin.push(window.begin);
		row.end.push(window.end ?? Math.max(last, window.begin));
		row.list.push(window);
		window.row = row;
	}
}

// Shares a CPU among runs, which are sorted by their begin: of two that overlap, because nobody told that the one task left the CPU,
// that one is there of which anything was seen last. Returns runs that do not overlap.
function shareCpu(runs) {
	const shared = [], rests = [];
	let next = 0;
	const peek = () => rests.length && !(runs[next]?.begin < rests[0].begin) ? rests[0] : runs[next];
	const take = () => peek() === rests[0] ? rests.shift() : runs[next++];
	for (let run = take(); run; run = take()) {
		const other = peek(), {times} = run.lane;
		let end = run.end;
		if (other && other.begin < end) {
			let at = lowerBound(times, 0, times.length, other.begin);
			while (times[at] === other.begin)
				at++;
			if (times[at] < end) {
				rests.push({...run, begin: times[at]});
				rests.sort((a, b) => a.begin - b.begin);
			}
			end = other.begin;
		}
		if (end > run.begin)
			shared.push({...run, end});
	}
	return shared;
}

// Lists what ran on each CPU, and where each lane ran, as far as the calls tell: where they were entered.
function listCpus(lanes) {
	const runsOf = new Map();
	for (const run of lanes.flatMap(lane => lane.ownRuns)) {
		if (!runsOf.has(run.cpu))
			runsOf.set(run.cpu, []);
		runsOf.get(run.cpu).push(run);
	}
	const cpus = [...runsOf].sort((a, b) => a[0] - b[0]).map(([cpu, runs]) => {
		const list = shareCpu(runs.sort((a, b) => a.begin - b.begin));
		for (const run of list)
			run.lane.runs.push(run);
		return {cpu, list, begin: list.map(run => run.begin), end: list.map(run => run.end)};
	});
	for (const lane of lanes) {
		lane.runs.sort((a, b) => a.begin - b.begin);
		delete lane.ownRuns;
		delete lane.times;
	}
	return cpus;
}

// 0: there is none.
function lastTrigger(capture) {
	return capture.triggers.reduce((last, trigger) => Math.max(last, trigger.time), 0);
}

// Returns until when the capture is shown at first. Where the decoder has gone astray it may tell of times that are far away:
// these are behind a jump that is a thousand times as long as all before it.
function usualEnd(capture) {
	if (!capture.lanes.some(lane => lane.errors.length))
		return capture.last;
	const nr = capture.lanes.reduce((sum, lane) => sum + lane.nr, 0), times = new Float64Array(nr + 1);
	let filled = 0;
	for (const lane of capture.lanes) {
		times.set(lane.begin, filled);
		filled += lane.nr;
	}
	times[nr] = capture.last;
	times.sort();
	// Between snapshots there may be a long time, too.
	const known = lastTrigger(capture);
	for (let i = Math.ceil(nr / 2); i <= nr; i++) {
		if (times[i - 1] > 0 && times[i] > 1000 * Math.max(times[i - 1], known))
			return times[i - 1];
	}
	return capture.last;
}

// Returns the functions on the path of a sample, that which it is in first, and its event, which stands in front of them.
function readPath(capture, path) {
	const functions = [];
	for (; path >= 0; path = capture.paths[path][0])
		functions.push(capture.paths[path][1]);
	return {event: functions.pop(), functions};
}

// Returns all that the page shows.
function readCapture(document) {
	const about = JSON.parse(document.getElementById("capture").textContent);
	const {functions, paths, windows, triggers} = about;
	const capture = {name: about.capture, base: BigInt(about.base), functions, paths, windows, triggers};
	triggers.sort((a, b) => a.time - b.time);
	capture.lanes = [...document.getElementsByClassName("lane")].map((element, i) => {
		const lane = new Lane(i, about.lanes[i], element.textContent);
		element.remove();
		return lane;
	});
	const ends = capture.lanes.map(lane => lane.last).concat(about.windows.map(window => window.end ?? window.begin));
	capture.last = ends.reduce((last, end) => Math.max(last, end), 0);
	const laneOf = new Map(capture.lanes.filter(lane => lane.tid !== 0).map(lane => [lane.tid, lane]));
	for (const window of about.windows) {
		window.lane = laneOf.get(window.tid) ?? null;
		window.lane?.windows.push(window);
	}
	for (const lane of capture.lanes)
		placeWindows(lane, capture.last);
	capture.cpus = listCpus(capture.lanes);
	capture.usual = usualEnd(capture);
	// A trigger right behind the calls is shown with them; there may be a long time in between.
	capture.last = Math.max(capture.last, lastTrigger(capture));
	if (capture.last < 1.05 * capture.usual)
		capture.usual = capture.last;
	return capture;
}
