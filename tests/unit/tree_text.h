/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trees of calls that are written as text: "A10(b5 C)" is a call of A, which took 10 ns by itself and called b, for 5 ns, and C.
 * Without a number it is 1 ns. Functions of the kernel are in upper case. Before a name, "%": an interrupt, ">": a tail call,
 * "?": it was running, "^": it had called all that ran so far; behind it "!": it is auxbpf's own. "-" is a time without trace. T is the interrupt of a timer.
 */
#ifndef AUXBPF_TESTS_TREE_TEXT_H
#define AUXBPF_TESTS_TREE_TEXT_H

#include <ctype.h>
#include <stdlib.h>

#include "calls/call_profile.h"
#include "check.h"

struct tree_text {
	struct call_tree tree;
	struct call_numbers numbers;
	struct window_calls window;
};

static inline uint64_t tree_text__number(const char **text)
{
	char *end;
	unsigned long long number;

	if (!isdigit((unsigned char)**text))
		return 1;
	number = strtoull(*text, &end, 10);
	*text = end;
	return number;
}

static inline enum call_kind tree_text__kind(const char **text)
{
	switch (**text) {
	case '%':
		++*text;
		return CALL_INTERRUPT;
	case '>':
		++*text;
		return CALL_JUMP;
	case '?':
		++*text;
		return CALL_RUNNING;
	case '^':
		++*text;
		return CALL_CALLER;
	default:
		return CALL_CALL;
	}
}

static inline void tree_text__leave(struct tree_text *t)
{
	const struct call_frame frame = {0};

	CHECK_EQ(call_tree_observer.leave(&t->tree, &frame, 0, t->window.end, CALL_RETURNED), 0);
}

static inline void tree_text__enter(struct tree_text *t, const char **text)
{
	struct call_frame frame = {.time = t->window.end, .kind = tree_text__kind(text)};

	frame.function = (function_id) * *text;
	frame.is_kernel = isupper((unsigned char)*(*text)++);
	CHECK_EQ(call_tree_observer.enter(&t->tree, &frame, frame.kind != CALL_CALLER), 0);
	if (**text == '!') {
		t->tree.at->is_gate = true;
		++*text;
	}
	t->window.end += tree_text__number(text);
	if (**text != '(')
		tree_text__leave(t);
	else
		++*text;
}

static inline void tree_text__gap(struct tree_text *t, const char **text)
{
	uint64_t begin = t->window.end;

	++*text;
	t->window.end += tree_text__number(text);
	CHECK_EQ(call_tree_observer.mark(&t->tree, CALL_MARK_GAP, begin, t->window.end, NULL), 0);
}

/* The names of functions are their letters, but for that of T. */
static inline void tree_text__name(struct tree_text *t)
{
	for (function_id id = 1; id <= 'z'; id++) {
		const char name[] = {(char)id, 0};

		CHECK_EQ(call_numbers__add(&t->numbers, id,
					   id == 'T' ? "asm_sysvec_apic_timer_interrupt" : name),
			 0);
	}
}

/* Makes the tree of @text, which begins at 1000 ns. */
static inline void tree_text__make(struct tree_text *t, struct call_names *names, const char *text)
{
	*t = (struct tree_text){

		.window = {.tree = &t->tree, .numbers = &t->numbers, .begin = 1000, .end = 1000}};
	call_tree__init(&t->tree);
	CHECK_EQ(call_numbers__init(&t->numbers, names), 0);
	tree_text__name(t);
	while (*text) {
		if (*text == ' ') {
			text++;
		} else if (*text == ')') {
			tree_text__leave(t);
			text++;
		} else if (*text == '-') {
			tree_text__gap(t, &text);
		} else {
			tree_text__enter(t, &text);
		}
	}
}

static inline void tree_text__release(struct tree_text *t)
{
	call_tree__clear(&t->tree);
	call_numbers__release(&t->numbers);
}

/* Follows the letters of @way from the window on. Returns the path, or 0 if there is none. */
static inline path_id tree_text__path(const struct path_table *paths, const struct call_names *names,
				      const char *way)
{
	const struct numbered_path *list = path_table__list(paths);
	path_id at = 0;

	for (; *way; way++) {
		path_id next = 0;

		for (path_id id = 1; id < path_table__nr(paths); id++) {
			const char *name = call_names__get(names, list[id].step);

			if (list[id].parent == at && (*way == '-' ? *name == '(' : *name == *way))
				next = id;
		}
		if (!next)
			return 0;
		at = next;
	}
	return at;
}

#endif
