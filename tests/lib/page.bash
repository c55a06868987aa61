# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Looks at pages of `auxbpf export --html` as Chromium shows them.

# Prints the document as it is once the page has been loaded and has done what it does in its first seconds. There is no network. Fails
# if the browser has anything to say: errors of scripts, or what the page's policy forbids.
document_of() { # file [fragment]
	local log=$BATS_TEST_TMPDIR/browser.log
	unshare --net timeout 300 chromium --headless --no-sandbox --no-first-run --disable-gpu --user-data-dir="$BATS_TEST_TMPDIR/browser" \
		--window-size=1400,800 --virtual-time-budget=5000 --enable-logging=stderr --dump-dom "file://$(realpath "$1")${2:+#$2}" 2>"$log" || {
		tail -n 20 "$log" >&2
		return 1
	}
	# Pages of the browser's own have something to say, too.
	! grep CONSOLE "$log" | grep -vF 'source: chrome://' >&2
}

# Prints what a page has found, from the attributes of its body: "calls=3", a line each.
found_by() { # document
	sed -n 's/^<body \([^>]*\)>.*/\1/p' "$1" | grep -oE 'data-[a-z]+="[^"]*"' | sed 's/^data-//; s/"//g'
}

# A page has found this.
finds() { # document name value
	[ "$(found_by "$1" | sed -n "s/^$2=//p")" = "$3" ] || { echo "$2 is not $3:"; found_by "$1"; return 1; }
}

# Copies a page, with a script of the test's own from stdin in it, which the page's policy would forbid.
with_script() { # page copy
	{
		sed '/^<meta http-equiv="Content-Security-Policy"/d' "$1"
		printf '<script>\n'
		cat
		printf '</script>\n'
	} >"$2"
}

# Prints what JavaScript on stdin makes of the data in a page: it adds to lines, and has what the page's own script has read, capture.
read_page() { # page
	{
		printf '<!DOCTYPE html><meta charset="utf-8"><pre id="read"></pre>\n'
		sed -n '/^<script type="text\/plain" class="lane">/p; /^<script type="application\/json"/,$p' "$1"
		printf '<script>\n'
		cat "$AUXBPF_ROOT/src/export/page/data.js"
		printf 'addEventListener("DOMContentLoaded", () => { const capture = readCapture(document), lines = [];\n'
		cat
		printf 'document.getElementById("read").textContent = lines.join("\\n"); });\n</script>\n'
	} >"$1.read.html"
	document_of "$1.read.html" >"$1.document"
	sed -n '/<pre id="read">/,/<\/pre>/p' "$1.document" | sed 's/.*<pre id="read">//; s/<\/pre>.*//; s/&lt;/</g; s/&gt;/>/g; s/&nbsp;/\xc2\xa0/g; s/&amp;/\&/g'
}

# Prints the calls that a page has, in the form of calls_of_graph (export.bash).
calls_of_page() { # page
	read_page "$1" <<-'END'
		for (const lane of capture.lanes) {
			const add = (i, depth) => {
				lines.push([depth, capture.functions[lane.fn[i]][0], capture.base + BigInt(lane.begin[i]), capture.base + BigInt(lane.end[i])].join("\t"));
				const [low, high] = lane.inside(i);
				for (let k = low; k < high; k++)
					add(k, depth + 1);
			};
			lines.push(`# ${lane.pid}/${lane.tid}`);
			for (let i = 0; i < (lane.rows[1] ?? 0); i++)
				add(i, 0);
		}
	END
}
