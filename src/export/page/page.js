// SPDX-License-Identifier: GPL-2.0-only
//
// Puts the page together: what is clicked, typed and searched for, and what is told of it. Names are of strangers: they become
// text, never HTML. The fragment of the address tells what is shown (#window=3&search=read&from=NS&to=NS), and the data-*
// attributes of the body tell what the page has found.

const KINDS = ["call", "tail call", "system call", "interrupt or exception", "signal", "was running when the trace began",
	"found by the return into it"];
const ENDS = ["returned", "ended with a tail call", "was left, or its end was not seen"];
const RUNNING = 5, CALLER = 6;
const MAX_CALLERS = 40, MAX_TIP_CALLERS = 10;
// So long before a trigger, and behind it, is shown, ns.
const TRIGGER_BEFORE = 1000000, TRIGGER_BEHIND = 100000;

function make(tag, text, className = "") {
	const element = document.createElement(tag);
	element.textContent = text;
	element.className = className;
	return element;
}

function laneName(lane) {
	return lane.tid > 0 ? `${lane.name} ${lane.pid}/${lane.tid}` : `${lane.name}${lane.runs.length ? `, CPU ${lane.runs[0].cpu}` : ""}`;
}

function plural(nr, what) {
	return `${nr.toLocaleString("en")} ${what}${nr === 1 ? "" : what.endsWith("h") ? "es" : "s"}`;
}

// How much there is in a lane; what there is none of is not told, unless there is nothing.
function laneFigures(lane) {
	const {calls, samples} = lane;
	return [calls || !samples.nr ? plural(calls, "call") : "", samples.nr ? plural(samples.nr, "sample") : ""].filter(Boolean).join(", ");
}

class Page {
	constructor() {
		this.capture = readCapture(document);
		this.functions = this.capture.functions.map(([name]) => name.toLowerCase());
		this.describe();
		this.chart = new Chart(this.element("chart"), this.element("axis"), this.capture);
		this.table = new WindowTable(this.capture.windows, window => this.chooseWindow(window));
		this.element("details").append(...this.aboutCapture());
		this.listen();
		this.followFragment();
		this.chart.onMove = () => this.noteMove();
		this.noteMove();
		document.body.dataset.state = "ready";
	}

	element(id) {
		return document.getElementById(id);
	}

	// Tells how much there is, in the header and for whoever reads the page by a program.
	describe() {
		const {lanes, windows, name} = this.capture, sum = count => lanes.reduce((nr, lane) => nr + count(lane), 0);
		const figures = {calls: sum(lane => lane.calls), lanes: lanes.length, windows: windows.length, gaps: sum(lane => lane.gaps),
			errors: sum(lane => lane.errors.length), samples: sum(lane => lane.samples.nr)};
		Object.assign(document.body.dataset, figures, {cpus: this.capture.cpus.map(cpu => cpu.cpu).join()});
		document.body.dataset.trigger = this.capture.triggers.map(trigger => trigger.time).join();
		document.title = `${name} - auxbpf`;
		this.element("title").textContent = name;
		this.element("figures").textContent = [plural(figures.calls, "call"), plural(figures.lanes, "task"),
			plural(figures.windows, "window"), figures.samples ? plural(figures.samples, "sample") : "",
			figures.gaps ? `${figures.gaps.toLocaleString("en")} times not traced` : "",
			figures.errors ? plural(figures.errors, "decoder error") : ""].filter(Boolean).join(" · ");
	}

	list(rows) {
		const list = make("dl", "");
		for (const [term, text] of rows.filter(row => row[1] !== null))
			list.append(make("dt", term), make("dd", text));
		return list;
	}

	aboutCapture() {
		const {name, base, last, triggers} = this.capture, about = triggers.length === 1 ? this.rowsOfTrigger(triggers[0]) : [];
		return [make("h2", name), this.list([["begins at", formatStamp(base, 0)], ["lasts", formatTime(last)], ...about,
			["", "A click on a call or a window tells more of it."]]), ...triggers.length > 1 ? [this.listOfTriggers()] : []];
	}

	rowsOfTrigger(trigger) {
		const at = formatStamp(this.capture.base, trigger.time);
		return [["trigger", `${trigger.rule}, at ${formatTime(trigger.time)}, time stamp ${at}, ${trigger.utc}`],
			["its event", trigger.event],
			["its task", trigger.comm ? `${trigger.comm} ${trigger.pid}/${trigger.tid} on CPU ${trigger.cpu}` : null]];
	}

	// Those of a directory of snapshots, with a button each that goes there.
	listOfTriggers() {
		const list = make("ol", "", "triggers");
		for (const trigger of this.capture.triggers) {
			const button = make("button", `${formatTime(trigger.time)}  ${trigger.rule}`), item = make("li", "");
			button.addEventListener("click", () => this.chooseTrigger(trigger));
			item.append(button);
			list.append(item);
		}
		return list;
	}

	aboutTrigger(trigger) {
		return [make("h2", trigger.rule), this.list([...this.rowsOfTrigger(trigger), ["snapshot", trigger.snapshot]])];
	}

	aboutCall(lane, i) {
		const flags = lane.flags[i], kind = flags & KIND_MASK, isGap = kind === GAP, isOver = flags & OVER, callers = [];
		const [name, object] = this.capture.functions[lane.fn[i]], duration = formatTime(lane.end[i] - lane.begin[i]);
		const isPart = (kind === RUNNING || kind === CALLER || !isOver) && !isGap;
		for (let p = lane.parent[i]; p >= 0 && callers.length < MAX_CALLERS; p = lane.parent[p])
			callers.push(this.capture.functions[lane.fn[p]][0]);
		return [make("h2", name), this.list([
			["object", object || null],
			["mode", isGap ? "the task was off the CPU, or not traced" : flags & KERNEL ? "kernel" : "user"],
			["duration", isPart ? `${duration} was seen, it may have taken longer` : duration],
			["self time", isGap ? null : formatTime(lane.selfTime(i))],
			["begin", `${formatTime(lane.begin[i])}, time stamp ${formatStamp(this.capture.base, lane.begin[i])}`],
			["CPU", isGap ? `${lane.cpu[i]} behind it` : String(lane.cpu[i])],
			["task", laneName(lane)],
			["how", isGap ? null : `${KINDS[kind]}; ${isOver ? ENDS[flags >> HOW_SHIFT & HOW_MASK] : "not over"}`],
			["called by", callers.length ? callers.join(" ‹ ") : null],
		])];
	}

	aboutWindow(window) {
		return [make("h2", `${window.window} ${windowText(window)}`), this.list([
			["task", `${window.comm} ${window.pid}/${window.tid}`],
			["duration", window.end === null ? "its end was not seen" : formatTime(windowDuration(window))],
			["off the CPU", formatTime(window.off)],
			["moves", window.moves ? `${window.moves} to another CPU` : null],
			["begin", `${formatTime(window.begin)}, time stamp ${formatStamp(this.capture.base, window.begin)}`],
			["calls", window.lane ? null : "none of its task are in this page"],
		])];
	}

	aboutError(error, lane) {
		return [make("h2", "decoder error"), this.list([["what", error.text], ["task", laneName(lane)],
			["at", `${formatTime(error.time)}, time stamp ${formatStamp(this.capture.base, error.time)}`]])];
	}

	// What is known of a sample, with the names of the functions on its path.
	readSample(lane, i) {
		const {time, path, cpu} = lane.samples, {event, functions} = readPath(this.capture, path[i]), nameOf = fn => this.capture.functions[fn][0];
		const names = functions.map(nameOf), object = functions.length ? this.capture.functions[functions[0]][1] : "";
		return {name: names[0] ?? "[unknown]", object, callers: names.slice(1), event: nameOf(event), time: time[i], cpu: cpu[i]};
	}

	aboutSample(lane, i) {
		const sample = this.readSample(lane, i);
		return [make("h2", sample.name), this.list([
			["sample of", sample.event],
			["object", sample.object || null],
			["at", `${formatTime(sample.time)}, time stamp ${formatStamp(this.capture.base, sample.time)}`],
			["CPU", sample.cpu < 0 ? null : String(sample.cpu)],
			["task", laneName(lane)],
			["called by", sample.callers.length ? sample.callers.slice(0, MAX_CALLERS).join(" ‹ ") : null],
		])];
	}

	// Tells of what was clicked on; null: nothing is to be told.
	about(hit) {
		if (hit?.window)
			return this.aboutWindow(hit.window);
		if (hit?.error)
			return this.aboutError(hit.error, hit.lane);
		if (hit?.sample !== undefined)
			return this.aboutSample(hit.lane, hit.sample);
		if (hit?.trigger)
			return this.aboutTrigger(hit.trigger);
		return hit?.lane ? this.aboutCall(hit.lane, hit.call) : null;
	}

	// What the mouse is on, in a few lines.
	tipText(hit) {
		if (hit?.window)
			return `${windowText(hit.window)}\n${hit.window.end === null ? "not over" : formatTime(windowDuration(hit.window))}`;
		if (hit?.error)
			return `decoder error at ${formatTime(hit.error.time)}\n${hit.error.text}`;
		if (hit?.sample !== undefined) {
			const sample = this.readSample(hit.lane, hit.sample), callers = sample.callers.slice(0, MAX_TIP_CALLERS).map(name => `\n‹ ${name}`);
			return `${sample.name}\nsample of ${sample.event}${sample.cpu < 0 ? "" : `, CPU ${sample.cpu}`}, at ${formatTime(sample.time)}${callers.join("")}`;
		}
		if (hit?.run)
			return `${laneName(hit.run.lane)}\non CPU ${hit.cpu} for ${formatTime(hit.run.end - hit.run.begin)}`;
		if (!hit?.lane)
			return "";
		const {lane, call} = hit, [name, object] = this.capture.functions[lane.fn[call]];
		const took = formatTime(lane.end[call] - lane.begin[call]);
		if (lane.isGap(call))
			return `${name}\n${took}`;
		return `${name}${object ? `  (${object})` : ""}\n${took}, self ${formatTime(lane.selfTime(call))}\n` +
			`CPU ${lane.cpu[call]}, begin ${formatTime(lane.begin[call])}`;
	}

	showTip(event) {
		const tip = this.element("tip"), hit = event && this.chart.at(event.offsetX, event.offsetY), text = this.tipText(hit);
		this.chart.canvas.style.cursor = hit ? "pointer" : "default";
		tip.hidden = !text;
		if (!text)
			return;
		tip.textContent = text;
		tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 4)}px`;
		const below = event.clientY + 18, fits = below + tip.offsetHeight <= innerHeight;
		tip.style.top = `${fits ? below : event.clientY - tip.offsetHeight - 8}px`;
	}

	// Takes what was clicked on, null for nothing.
	choose(hit) {
		this.chart.chosen = hit?.window || hit?.call !== undefined ? hit : null;
		this.element("details").replaceChildren(...this.about(hit) ?? this.aboutCapture());
		this.table.mark(hit?.window ?? null);
		document.body.dataset.window = hit?.window?.window ?? "";
		this.chart.ask();
		this.noteMove();
	}

	chooseTrigger(trigger) {
		this.choose({trigger});
		this.trigger = trigger;
		this.chart.show(trigger.time - TRIGGER_BEFORE, trigger.time + TRIGGER_BEHIND);
	}

	// Goes to the next trigger, or with -1 to the one before, from the chosen one or else from the middle of what is shown.
	stepTrigger(direction) {
		const {triggers} = this.capture, {from, to} = this.chart, chosen = this.trigger?.time;
		const at = chosen >= from && chosen <= to ? chosen : (from + to) / 2;
		const beside = direction > 0 ? triggers.find(trigger => trigger.time > at) : triggers.findLast(trigger => trigger.time < at);
		if (beside)
			this.chooseTrigger(beside);
	}

	chooseWindow(window) {
		this.choose({window});
		this.zoomToChosen();
	}

	chooseCall(lane, call) {
		this.choose({lane, call});
		this.chart.reveal(lane, lane.depthOf(call));
		const [begin, end] = [lane.begin[call], lane.end[call]], {from, to} = this.chart;
		if (begin < from || end > to || end - begin < (to - from) / 200)
			this.zoomToChosen();
	}

	zoomToChosen() {
		const {window, lane, call} = this.chart.chosen ?? {};
		if (!window && !lane)
			return;
		const begin = window ? window.begin : lane.begin[call], end = window ? window.end ?? this.capture.last : lane.end[call];
		const margin = Math.max((end - begin) * 0.08, MIN_SPAN);
		this.chart.show(begin - margin, end + margin);
		if (window?.lane)
			this.chart.reveal(window.lane, -1);
	}

	// Finds the calls of functions whose names have a text, and counts them: in front of each call of each lane.
	search(text) {
		const wanted = text.trim().toLowerCase(), isMatch = Uint8Array.from(this.functions, name => wanted && name.includes(wanted) ? 1 : 0);
		let total = 0;
		this.chart.counts = new Map();
		for (const lane of wanted ? this.capture.lanes : []) {
			const counts = new Uint32Array(lane.nr + 1);
			for (let i = 0; i < lane.nr; i++)
				counts[i + 1] = counts[i] + (lane.isGap(i) ? 0 : isMatch[lane.fn[i]]);
			this.chart.counts.set(lane, counts);
			total += counts[lane.nr];
		}
		const found = plural(isMatch.reduce((nr, is) => nr + is, 0), "function");
		this.element("matches").textContent = wanted ? `${plural(total, "match")} of ${found}` : "";
		document.body.dataset.matches = wanted ? total : "";
		this.element("previous").disabled = this.element("next").disabled = !total;
		this.chart.ask();
		this.noteMove();
	}

	// Goes to the next match in the order of lanes and begins, or with -1 to the one before; behind the last one comes the first.
	step(direction) {
		const {lanes} = this.chart, {lane: at, call} = this.chart.chosen ?? {};
		const now = at ? [lanes.indexOf(at), at.begin[call], call] : [-1, 0, 0];
		const compare = (a, b) => (a[0] - b[0] || a[1] - b[1] || a[2] - b[2]) * direction;
		let best = null, first = null;
		lanes.forEach((lane, k) => {
			const counts = this.chart.counts.get(lane);
			for (let i = 0; counts && i < lane.nr; i++) {
				if (counts[i + 1] === counts[i])
					continue;
				const match = [k, lane.begin[i], i];
				if (!first || compare(match, first) < 0)
					first = match;
				if (compare(match, now) > 0 && (!best || compare(match, best) < 0))
					best = match;
			}
		});
		best ??= first;
		if (best)
			this.chooseCall(lanes[best[0]], best[2]);
	}

	followFragment() {
		const wanted = new URLSearchParams(location.hash.slice(1)), search = wanted.get("search") ?? "";
		const window = this.capture.windows.find(w => String(w.window) === wanted.get("window"));
		this.element("search").value = search;
		this.search(search);
		if (window)
			this.chooseWindow(window);
		if (wanted.has("from") && wanted.has("to"))
			this.chart.show(Number(wanted.get("from")), Number(wanted.get("to")));
	}

	// The address tells what is shown once it stays so.
	noteMove() {
		const {from, to} = this.chart, search = this.element("search").value;
		Object.assign(document.body.dataset, {from: Math.round(from), to: Math.round(to)});
		clearTimeout(this.timer);
		this.timer = setTimeout(() => {
			const shown = new URLSearchParams({from: Math.round(from), to: Math.round(to)}), window = this.chart.chosen?.window;
			if (window)
				shown.set("window", window.window);
			if (search)
				shown.set("search", search);
			history.replaceState(null, "", `#${shown}`);
		}, 300);
	}

	listen() {
		const search = this.element("search"), chart = this.chart;
		search.addEventListener("input", () => this.search(search.value));
		search.addEventListener("keydown", event => this.onSearchKey(event));
		this.element("previous").addEventListener("click", () => this.step(-1));
		this.element("next").addEventListener("click", () => this.step(1));
		this.element("all").addEventListener("click", () => chart.showAll());
		addEventListener("keydown", event => this.onKey(event));
		addEventListener("hashchange", () => this.followFragment());
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
			chart.readColours();
			chart.ask();
		});
		addEventListener("resize", () => chart.resize());
		chart.scroller.addEventListener("scroll", () => chart.ask());
		this.listenToMouse(chart.canvas, chart);
	}

	// A press is a click, unless the mouse moves meanwhile.
	listenToMouse(canvas, chart) {
		let last = null, isDrag = false;
		canvas.addEventListener("wheel", event => this.onWheel(event), {passive: false});
		canvas.addEventListener("pointerdown", event => {
			last = event;
			isDrag = false;
			canvas.setPointerCapture(event.pointerId);
		});
		canvas.addEventListener("pointermove", event => {
			if (last && (isDrag || Math.hypot(event.clientX - last.clientX, event.clientY - last.clientY) > 4)) {
				isDrag = true;
				chart.move(last.clientX - event.clientX);
				chart.scroll(last.clientY - event.clientY);
				last = event;
			}
			this.showTip(isDrag && last ? null : event);
		});
		canvas.addEventListener("pointerup", event => {
			const hit = chart.at(event.offsetX, event.offsetY);
			if (last && !isDrag && hit?.head)
				chart.fold(hit.head);
			else if (last && !isDrag && hit?.run)
				chart.reveal(hit.run.lane, -1);
			else if (last && !isDrag)
				this.choose(hit);
			last = null;
		});
		canvas.addEventListener("pointercancel", () => last = null);
		canvas.addEventListener("pointerleave", () => this.showTip(null));
		canvas.addEventListener("dblclick", () => this.zoomToChosen());
	}

	onWheel(event) {
		const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
		event.preventDefault();
		this.showTip(null);
		if (event.shiftKey)
			this.chart.scroll((event.deltaY || event.deltaX) * pixels);
		else if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
			this.chart.move(event.deltaX * pixels);
		else
			this.chart.zoom(1.002 ** (event.deltaY * pixels), event.offsetX);
	}

	onSearchKey(event) {
		event.stopPropagation();
		if (event.key === "Enter")
			this.step(event.shiftKey ? -1 : 1);
		if (event.key === "Escape")
			event.target.blur();
	}

	onKey(event) {
		const {chart} = this, page = chart.visible * 0.8, keys = {
			w: () => chart.zoom(0.7), s: () => chart.zoom(1 / 0.7), a: () => chart.move(-120), d: () => chart.move(120),
			ArrowLeft: () => chart.move(-120), ArrowRight: () => chart.move(120), ArrowUp: () => chart.scroll(-3 * ROW),
			ArrowDown: () => chart.scroll(3 * ROW), PageUp: () => chart.scroll(-page), PageDown: () => chart.scroll(page),
			f: () => this.zoomToChosen(), Home: () => chart.showAll(), n: () => this.step(1), N: () => this.step(-1),
			t: () => this.stepTrigger(1), T: () => this.stepTrigger(-1), x: () => chart.foldAll(), "/": () => this.element("search").select(), Escape: () => this.choose(null)};
		if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(keys, event.key))
			return;
		event.preventDefault();
		keys[event.key]();
	}
}

addEventListener("error", event => {
	document.body.dataset.state = "failed";
	document.getElementById("figures").textContent = `this page failed: ${event.message}`;
});
addEventListener("DOMContentLoaded", () => new Page());
