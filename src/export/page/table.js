// SPDX-License-Identifier: GPL-2.0-only
//
// The table of windows. Only the rows in sight are elements, so that there may be any number of them.

const TABLE_ROW = 22; // pixels, as in page.css

const COLUMNS = [
	{title: "window", value: w => w.window, text: w => String(w.window)},
	{title: "what", value: w => w.name, text: windowText},
	{title: "task", value: w => w.tid, text: w => `${w.comm} ${w.pid}/${w.tid}`},
	{title: "duration", value: w => windowDuration(w) ?? Infinity,
		text: w => w.end === null ? "not over" : formatTime(windowDuration(w))},
	{title: "off the CPU", value: w => w.off, text: w => w.off ? formatTime(w.off) : ""},
];

function windowDuration(window) {
	return window.end === null ? null : window.end - window.begin;
}

// Returns "read(3, 0x7f00c0, 10) = 10". Small arguments are decimal, as of descriptors and sizes; others are addresses or flags.
function windowText(window) {
	const args = window.args?.map(arg => BigInt(arg) < 1n << 20n ? arg : `0x${BigInt(arg).toString(16)}`);
	return window.name + (args ? `(${args.join(", ")})` : "") + (window.result === null ? "" : ` = ${window.result}`);
}

class WindowTable {
	constructor(windows, choose) {
		Object.assign(this, {choose, chosen: null, column: COLUMNS[0], isDown: false});
		this.rows = document.getElementById("rows");
		this.windows = [...windows];
		this.sort();
		document.getElementById("columns").append(...COLUMNS.map(column => this.head(column)));
		if (windows.length) {
			document.getElementById("rows-height").style.height = `${windows.length * TABLE_ROW}px`;
			this.rows.addEventListener("scroll", () => this.draw());
			addEventListener("resize", () => this.draw());
			this.draw();
		} else {
			this.rows.append(make("div", "The capture tells of no windows.", "empty"));
		}
	}

	// The same column twice turns the order around; longest come first.
	head(column) {
		const head = make("span", column.title);
		head.title = "sort by this";
		head.addEventListener("click", () => {
			this.isDown = this.column === column ? !this.isDown : column === COLUMNS[3] || column === COLUMNS[4];
			this.column = column;
			this.sort();
			this.draw();
		});
		return head;
	}

	sort() {
		const {value} = this.column, sign = this.isDown ? -1 : 1;
		this.windows.sort((a, b) => {
			const [x, y] = [value(a), value(b)];
			return (x < y ? -sign : x > y ? sign : 0) || a.window - b.window;
		});
	}

	draw() {
		const first = Math.floor(this.rows.scrollTop / TABLE_ROW), nr = Math.ceil(this.rows.clientHeight / TABLE_ROW) + 1;
		const shown = this.windows.slice(first, first + nr).map((window, i) => {
			const row = make("div", "", window === this.chosen ? "row chosen" : "row");
			row.style.top = `${(first + i) * TABLE_ROW}px`;
			row.append(...COLUMNS.map(column => make("span", column.text(window))));
			row.addEventListener("click", () => this.choose(window));
			return row;
		});
		for (const row of this.rows.querySelectorAll(".row"))
			row.remove();
		this.rows.append(...shown);
	}

	// Marks a window and scrolls to it; null: none is marked.
	mark(window) {
		this.chosen = window;
		if (window) {
			const top = this.windows.indexOf(window) * TABLE_ROW, at = this.rows.scrollTop, height = this.rows.clientHeight;
			if (top < at || top + TABLE_ROW > at + height)
				this.rows.scrollTop = top - height / 2;
		}
		this.draw();
	}
}
