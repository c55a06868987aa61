// SPDX-License-Identifier: GPL-2.0-only
//
// Draws CPUs, tasks and their calls on a canvas, with a second one for the axis. Only what is in sight is looked at, and what is
// narrower than a pixel shares one, so that a drawing costs what the screen has, not what the capture has.

const GUTTER = 170; // pixels for the names of lanes
const ROW = 17, RUNS = 7, SAMPLES = 10, SPACE = 8, HEAD = 34;
const MIN_BOX = 1.5, MIN_LABEL = 30; // pixels
const MIN_SPAN = 20; // ns in sight at the least
const FONT = "11px ui-monospace, monospace";

class Chart {
	constructor(canvas, axis, capture) {
		Object.assign(this, {canvas, axis, capture, scroller: canvas.parentElement, spacer: canvas.nextElementSibling});
		this.draw2d = canvas.getContext("2d");
		this.counts = new Map(); // by lane, for each call: the matches in front of it, if any are searched for
		this.chosen = null; // {lane, call} or {window}
		this.folded = new Set();
		this.isAsked = false;
		this.lanes = [...capture.lanes].sort((a, b) => b.calls - a.calls || b.samples.nr - a.samples.nr); // from the top down
		this.readColours();
		this.placeLanes();
		this.showAll();
	}

	readColours() {
		const style = getComputedStyle(document.documentElement);
		this.colours = {};
		for (const name of ["back", "panel", "line", "text", "faint", "box-text", "dim", "gap", "window", "window-back", "error", "match",
			"selected", "trigger", "sample"])
			this.colours[name] = style.getPropertyValue(`--${name}`).trim();
		this.modes = ["user", "kernel"].map(name => style.getPropertyValue(`--${name}`).match(/[\d.]+/g).map(Number));
		this.boxColours = [[], []];
		this.hatch = this.draw2d.createPattern(this.hatchTile(), "repeat");
	}

	hatchTile() {
		const tile = document.createElement("canvas"), c = tile.getContext("2d");
		tile.width = tile.height = 6;
		c.strokeStyle = this.colours.gap;
		c.lineWidth = 1.4;
		for (const shift of [-6, 0, 6]) {
			c.moveTo(shift, 6);
			c.lineTo(shift + 6, 0);
		}
		c.stroke();
		return tile;
	}

	// Functions of one mode have shades of one colour, so that neighbours can be told apart.
	boxColour(fn, isKernel) {
		const mode = isKernel ? 1 : 0;
		return this.boxColours[mode][fn] ??= (() => {
			const [hue, saturation, light] = this.modes[mode], shade = (fn * 2654435761 >>> 8) % 97 / 96 - 0.5;
			return `hsl(${hue + 22 * shade} ${saturation}% ${light + 9 * ((fn * 40503 >>> 4) % 31 / 30 - 0.5)}%)`;
		})();
	}

	// Gives each CPU and lane its place, from the top down.
	placeLanes() {
		let y = 4;
		this.places = [];
		for (const cpu of this.capture.cpus) {
			this.places.push({cpu, y, height: ROW});
			y += ROW;
		}
		y += this.capture.cpus.length ? SPACE : 0;
		for (const lane of this.lanes) {
			const samples = y + RUNS + 2 + lane.windowRows.length * ROW, calls = samples + (lane.samples.nr ? SAMPLES : 0);
			const rows = lane.rows.length - 1;
			const height = Math.max(calls - y + (this.folded.has(lane) ? Math.min(rows, 1) : rows) * ROW, HEAD);
			this.places.push({lane, y, samples, calls, height});
			y += height + SPACE;
		}
		this.height = y;
		this.resize();
	}

	resize() {
		const ratio = devicePixelRatio;
		this.visible = this.scroller.clientHeight;
		this.spacer.style.height = `${Math.max(0, this.height - this.visible)}px`;
		this.width = this.scroller.clientWidth; // beside a scroll bar, if it has one now
		for (const [canvas, height] of [[this.canvas, this.visible], [this.axis, this.axis.clientHeight]]) {
			canvas.width = this.width * ratio;
			canvas.height = height * ratio;
			canvas.style.width = `${this.width}px`;
			canvas.style.height = `${height}px`;
			canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
		}
		this.ask();
	}

	// Shows a stretch of time, as far as there is anything near it.
	show(from, to) {
		const all = Math.max(this.capture.last, MIN_SPAN), margin = 0.02 * all;
		const span = Math.min(Math.max(to - from, MIN_SPAN), all + 2 * margin);
		const middle = (from + to) / 2;
		this.from = Math.min(Math.max(middle - span / 2, -margin), all + margin - span);
		this.to = this.from + span;
		this.ask();
		this.onMove?.();
	}

	showAll() {
		this.show(-0.02 * this.capture.usual, 1.02 * this.capture.usual);
	}

	x(time) {
		return GUTTER + (time - this.from) / (this.to - this.from) * (this.width - GUTTER);
	}

	time(x) {
		return this.from + (x - GUTTER) / (this.width - GUTTER) * (this.to - this.from);
	}

	zoom(factor, x = (this.width + GUTTER) / 2) {
		const at = this.time(Math.max(x, GUTTER));
		this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
	}

	move(pixels) {
		const by = pixels / (this.width - GUTTER) * (this.to - this.from);
		this.show(this.from + by, this.to + by);
	}

	scroll(pixels) {
		this.scroller.scrollTop += pixels;
	}

	// Scrolls so that a row of a lane is in sight.
	reveal(lane, row) {
		if (this.folded.delete(lane))
			this.placeLanes();
		const place = this.places.find(p => p.lane === lane);
		const top = row < 0 ? place.y : place.calls + row * ROW, at = this.scroller.scrollTop;
		if (row < 0 || top < at || top + ROW > at + this.visible)
			this.scroller.scrollTop = row < 0 ? top - SPACE : top - this.visible / 2;
	}

	fold(lane) {
		if (!this.folded.delete(lane))
			this.folded.add(lane);
		this.placeLanes();
	}

	foldAll() {
		this.folded = new Set(this.folded.size ? [] : this.capture.lanes);
		this.placeLanes();
	}

	// Draws at the next chance, once.
	ask() {
		if (this.isAsked)
			return;
		this.isAsked = true;
		requestAnimationFrame(() => {
			this.isAsked = false;
			this.draw();
		});
	}

	draw() {
		const c = this.draw2d, top = this.scroller.scrollTop;
		c.fillStyle = this.colours.back;
		c.fillRect(0, 0, this.width, this.visible);
		c.font = FONT;
		c.textBaseline = "middle";
		this.letter ??= c.measureText("m").width;
		const {origin, marks} = axisMarks(this.from, this.to, (this.to - this.from) * 110 / Math.max(this.width - GUTTER, 110));
		c.fillStyle = this.colours.panel;
		for (const mark of marks)
			c.fillRect(Math.round(this.x(mark.time)), 0, 1, this.visible);
		for (const place of this.places) {
			const y = place.y - top;
			if (y < this.visible && y + place.height > 0)
				this.drawPlace(place, y);
		}
		this.drawAxis(origin, marks);
		this.drawTriggers();
	}

	drawTriggers() {
		let drawn = -Infinity;
		for (const trigger of this.capture.triggers) {
			const x = Math.round(this.x(trigger.time));
			if (x !== drawn && x >= GUTTER && x <= this.width)
				this.drawTrigger(x, x - drawn);
			drawn = x;
		}
	}

	// A line through all lanes, with its name on the axis if there is room for it, so many pixels from the one before.
	drawTrigger(x, room) {
		const c = this.axis.getContext("2d"), height = this.axis.clientHeight, name = "trigger", width = (name.length + 1) * this.letter;
		this.draw2d.fillStyle = c.fillStyle = this.colours.trigger;
		this.draw2d.fillRect(x - 1, 0, 2, this.visible);
		if (room < width + 4) {
			c.fillRect(x - 1, 4, 2, height - 4);
			return;
		}
		c.fillRect(x - 1 - width, 4, width + 2, height - 4);
		c.fillStyle = this.colours.back;
		c.fillText(name, x - width + this.letter / 2, height / 2 + 2);
	}

	drawPlace(place, y) {
		const c = this.draw2d;
		c.save();
		c.beginPath();
		c.rect(GUTTER, Math.max(0, y), this.width - GUTTER, place.height + 1);
		c.clip();
		if (place.lane)
			this.drawLane(place, y);
		else
			this.drawCpu(place.cpu, y);
		c.restore();
		this.drawHead(place, y);
	}

	drawHead(place, y) {
		const c = this.draw2d, lane = place.lane, put = (text, colour, top) => {
			c.fillStyle = colour;
			c.fillText(this.cut(text, GUTTER - 16), 8, top, GUTTER - 16);
		};
		c.fillStyle = this.colours.line;
		c.fillRect(0, y + place.height + (lane ? SPACE / 2 : 0), this.width, lane ? 1 : 0);
		c.fillRect(GUTTER - 1, y, 1, place.height);
		if (!lane) {
			put(`CPU ${place.cpu.cpu}`, this.colours.faint, y + ROW / 2);
			return;
		}
		// The name stays in sight as long as anything of the lane is.
		const top = Math.min(Math.max(y, 0), y + place.height - HEAD);
		put(`${this.folded.has(lane) ? "▸" : "▾"} ${laneName(lane)}`, this.colours.text, top + 9);
		put(`  ${laneFigures(lane)}`, this.colours.faint, top + 24);
	}

	drawCpu(cpu, y) {
		const row = {begin: cpu.begin, end: cpu.end, low: 0, high: cpu.list.length};
		this.drawRow(row, y, ROW, {
			colour: i => this.laneColour(cpu.list[i].lane), label: i => laneName(cpu.list[i].lane)});
	}

	laneColour(lane) {
		const hue = lane.number * 137.5 % 360;
		return `hsl(${hue} 32% ${this.modes[0][2]}%)`;
	}

	drawLane(place, y) {
		const lane = place.lane, top = this.scroller.scrollTop, calls = place.calls - top;
		this.drawRuns(lane, y);
		lane.windowRows.forEach((row, k) => this.drawWindows(row, y + RUNS + 2 + k * ROW, place));
		this.drawSamples(lane, place.samples - top);
		const rows = this.folded.has(lane) ? Math.min(lane.rows.length - 1, 1) : lane.rows.length - 1;
		const first = Math.max(0, Math.floor(-calls / ROW)), last = Math.min(rows, Math.ceil((this.visible - calls) / ROW));
		for (let d = first; d < last; d++)
			this.drawCalls(lane, d, calls + d * ROW);
		this.drawErrors(lane, y, place.height);
	}

	// The strip on top of a lane: where it ran is filled.
	drawRuns(lane, y) {
		lane.runColumns ??= {begin: lane.runs.map(run => run.begin), end: lane.runs.map(run => run.end), low: 0, high: lane.runs.length};
		const colour = this.laneColour(lane);
		this.drawRow(lane.runColumns, y, RUNS, {colour: () => colour});
	}

	drawWindows(row, y, place) {
		const c = this.draw2d, chosen = this.chosen?.window;
		this.drawRow({...row, low: 0, high: row.list.length}, y, ROW, {
			colour: () => this.colours["window-back"], border: this.colours.window, text: this.colours.text,
			label: i => `${row.list[i].window} ${windowText(row.list[i])}`});
		if (chosen?.row !== row)
			return;
		// The chosen one goes down to the end of its lane.
		const x = Math.max(this.x(chosen.begin), GUTTER - 4), right = Math.min(this.x(chosen.end ?? this.capture.last), this.width + 4);
		const width = Math.max(right - x, 1), height = place.y + place.height - this.scroller.scrollTop - y;
		c.fillStyle = this.colours["window-back"];
		c.fillRect(x, y, width, height);
		c.strokeStyle = this.colours.window;
		c.strokeRect(x + 0.5, y + 0.5, Math.max(width - 1, 1), height - 1);
	}

	drawCalls(lane, depth, y) {
		const counts = this.counts.get(lane), fn = lane.fn;
		this.drawRow({begin: lane.begin, end: lane.end, low: lane.rows[depth], high: lane.rows[depth + 1]}, y, ROW, {
			colour: (i, next) => {
				if (counts && counts[next] > counts[i])
					return this.colours.match;
				if (lane.isGap(i))
					return this.hatch;
				return counts ? this.colours.dim : this.boxColour(fn[i], lane.flags[i] & KERNEL);
			},
			text: counts ? this.colours.text : this.colours["box-text"],
			label: i => this.capture.functions[fn[i]][0], plain: this.hatch,
			chosen: this.chosen?.lane === lane ? this.chosen.call : -1});
	}

	// A tick for each, or for all in one pixel.
	drawSamples(lane, y) {
		const {time, nr} = lane.samples;
		this.draw2d.fillStyle = this.colours.sample;
		for (let i = lowerBound(time, 0, nr, this.from); i < nr && time[i] <= this.to;) {
			const x = Math.floor(this.x(time[i]));
			this.draw2d.fillRect(x, y, 1, SAMPLES - 2);
			i = lowerBound(time, i + 1, nr, this.time(x + 1));
		}
	}

	drawErrors(lane, y, height) {
		const c = this.draw2d;
		let drawn = -Infinity;
		c.fillStyle = this.colours.error;
		for (const error of lane.errors) {
			const x = Math.round(this.x(error.time));
			if (x === drawn || x < GUTTER - 6 || x > this.width + 6)
				continue;
			drawn = x;
			c.fillRect(x, y, 1, height);
			c.beginPath();
			c.moveTo(x - 5, y);
			c.lineTo(x + 6, y);
			c.lineTo(x + 0.5, y + 9);
			c.fill();
		}
	}

	// Draws boxes that do not overlap. Those that are too narrow and begin in one pixel are one, and what has one colour is
	// filled at once.
	drawRow(row, y, height, paint) {
		const {begin, end, high} = row;
		let i = lowerBound(end, row.low, high, this.from), thin = null;
		const flush = () => {
			if (thin) {
				this.draw2d.fillStyle = thin.colour;
				this.draw2d.fillRect(thin.x, y, thin.right - thin.x, height - 1);
			}
			thin = null;
		};
		while (i < high && begin[i] <= this.to) {
			const x = this.x(begin[i]), right = this.x(end[i]);
			if (right - x >= MIN_BOX) {
				flush();
				this.drawBox(Math.max(x, GUTTER), Math.min(right, this.width + 4), y, height, paint, i);
				i++;
				continue;
			}
			const pixel = Math.floor(x);
			let next = lowerBound(begin, i + 1, high, this.time(pixel + 1));
			if (next - 1 > i && this.x(end[next - 1]) - this.x(begin[next - 1]) >= MIN_BOX)
				next--;
			const colour = paint.border ?? paint.colour(i, next);
			if (thin?.colour !== colour || thin.right < pixel) {
				flush();
				thin = {x: pixel, right: pixel + 1, colour};
			}
			thin.right = pixel + 1;
			if (paint.chosen >= i && paint.chosen < next)
				this.drawChosen(pixel - 1, pixel + 2, y, height);
			i = next;
		}
		flush();
	}

	drawBox(x, right, y, height, paint, i) {
		const c = this.draw2d, width = Math.max(right - x - (right - x > 3 ? 1 : 0), 1), colour = paint.colour(i, i + 1);
		c.fillStyle = colour;
		c.fillRect(x, y, width, height - 1);
		if (paint.border) {
			c.strokeStyle = paint.border;
			c.strokeRect(x + 0.5, y + 0.5, Math.max(width - 1, 1), height - 2);
		}
		if (paint.label && width >= MIN_LABEL) {
			c.fillStyle = colour === paint.plain ? this.colours.faint : paint.text ?? this.colours["box-text"];
			c.fillText(this.cut(paint.label(i), width - 7), x + 4, y + height / 2, width - 7);
		}
		if (paint.chosen === i)
			this.drawChosen(x, x + width, y, height);
	}

	drawChosen(x, right, y, height) {
		const c = this.draw2d;
		c.strokeStyle = this.colours.selected;
		c.lineWidth = 2;
		c.strokeRect(x + 1, y + 1, right - x - 2, height - 3);
		c.lineWidth = 1;
	}

	// Cuts a text so that it fits; wide letters are squeezed by the width that fillText() gets.
	cut(text, width) {
		const most = Math.floor(width / this.letter);
		return text.length <= most ? text : `${text.slice(0, Math.max(most - 1, 1))}…`;
	}

	drawAxis(origin, marks) {
		const c = this.axis.getContext("2d"), height = this.axis.clientHeight;
		c.fillStyle = this.colours.back;
		c.fillRect(0, 0, this.width, height);
		c.font = FONT;
		c.textBaseline = "middle";
		for (const mark of marks) {
			const x = Math.round(this.x(mark.time));
			c.fillStyle = this.colours.faint;
			c.fillRect(x, height - 7, 1, 7);
			c.fillStyle = this.colours.text;
			c.fillText(mark.text, x + 4, height / 2);
		}
		c.fillStyle = this.colours.back;
		c.fillRect(0, 0, GUTTER, height);
		c.fillStyle = this.colours.faint;
		c.fillText(this.cut(`${formatTime(this.to - this.from)}${origin ? ` at ${formatTime(origin)}` : ""}`, GUTTER - 16), 8, height / 2);
	}

	// Tells what is at a place: {lane, call}, {window}, {error, lane}, {sample, lane}, {run, cpu}, {head: lane}, or null.
	at(x, y) {
		const top = y + this.scroller.scrollTop, place = this.places.find(p => top >= p.y && top < p.y + p.height);
		if (!place)
			return null;
		if (x < GUTTER)
			return place.lane ? {head: place.lane} : null;
		const from = this.time(x - 1), to = this.time(x + 1);
		if (!place.lane) {
			const i = this.find(place.cpu, 0, place.cpu.list.length, from, to, this.time(x));
			return i < 0 ? null : {run: place.cpu.list[i], cpu: place.cpu.cpu};
		}
		return this.atLane(place, top, x, from, to);
	}

	atLane(place, top, x, from, to) {
		const lane = place.lane;
		if (top < place.y + RUNS + 2) {
			const error = lane.errors.find(e => Math.abs(this.x(e.time) - x) < 6);
			return error ? {error, lane} : null;
		}
		if (top >= place.samples && top < place.calls)
			return this.atSamples(lane, x);
		if (top < place.samples) {
			const row = lane.windowRows[Math.floor((top - place.y - RUNS - 2) / ROW)];
			const i = this.find(row, 0, row.list.length, from, to, this.time(x));
			return i < 0 ? null : {window: row.list[i]};
		}
		const depth = Math.floor((top - place.calls) / ROW);
		if (depth + 1 >= lane.rows.length)
			return null;
		const call = this.find(lane, lane.rows[depth], lane.rows[depth + 1], from, to, this.time(x));
		return call < 0 ? null : {lane, call};
	}

	// The sample that is next to a place.
	atSamples(lane, x) {
		const {time, nr} = lane.samples, behind = lowerBound(time, 0, nr, this.time(x)), away = i => Math.abs(this.x(time[i]) - x);
		const sample = behind > 0 && (behind === nr || away(behind - 1) < away(behind)) ? behind - 1 : behind;
		return away(sample) < 5 ? {sample, lane} : null;
	}

	// Finds what is at a time, or else the first near it; -1: nothing is.
	find({begin, end}, low, high, from, to, time) {
		const exact = lowerBound(end, low, high, time);
		if (exact < high && begin[exact] <= time)
			return exact;
		const near = lowerBound(end, low, high, from);
		return near < high && begin[near] <= to ? near : -1;
	}
}
