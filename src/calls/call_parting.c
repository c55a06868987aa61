// SPDX-License-Identifier: GPL-2.0-only
#include "calls/call_parting.h"

#include <errno.h>
#include <string.h>

/* Steps of a call that are compared with those of the other one, where they are not the same: it takes 8 MiB. */
#define MOST_STEPS 2048

/* A call, and so many more of the same function behind it. */
struct step {
	call_step step;
	const struct call *call;
	size_t nr;
};

struct steps {
	struct step *list;
	size_t nr;
};

/*
 * Entries of the kernel's that are an interrupt's and not an exception's, by the begin of their names: of x86
 * (arch/x86/include/asm/idtentry.h), and of arm64 (arch/arm64/kernel/entry.S).
 */
static const char *const interrupts[] = {
	"asm_sysvec_", "asm_common_interrupt", "irq_entries_start", "spurious_entries_start",
	"asm_exc_nmi", "asm_spurious_",	       "el1h_64_irq",	    "el0t_64_irq",
	"el0t_32_irq", "el1h_64_fiq",	       "el0t_64_fiq",
};

static bool has_interrupt_name(const struct window_calls *window, const struct call *call)
{
	const char *name = call_names__get(window->numbers->names, call_numbers__step(window->numbers, call));

	for (size_t i = 0; i < ARRAY_SIZE(interrupts); i++) {
		if (!strncmp(name, interrupts[i], strlen(interrupts[i])))
			return true;
	}
	return false;
}

/*
 * Finds the last call of the interrupt that begins with @call; NULL if it is none. The kernel's code at its entry and at its return is several
 * functions, which jump to one another.
 */
static const struct call *last_of_interrupt(const struct window_calls *window, const struct call *call)
{
	bool found = has_interrupt_name(window, call);

	while (call->next && !call->next->mark && call->next->kind == CALL_JUMP) {
		call = call->next;
		found |= has_interrupt_name(window, call);
	}
	return found ? call : NULL;
}

/* Finds the first call at @call or behind it that is of the path. */
static const struct call *skip(const struct window_calls *window, const struct call *call)
{
	while (call) {
		const struct call *last = window_calls__has(window, call) ? NULL : call;

		if (!last && !call->mark && call->kind == CALL_INTERRUPT)
			last = last_of_interrupt(window, call);
		if (!last)
			break;
		call = last->next;
	}
	return call;
}

const struct call *call_parting__next(const struct window_calls *window, const struct call *call)
{
	return skip(window, call->next);
}

/* Lists what comes from @call on; the calls of one function in a row are one step. */
static int list_steps(const struct window_calls *window, const struct call *call, struct steps *ret)
{
	struct buf steps = {0};

	for (const struct call *c = call; c; c = call_parting__next(window, c)) {
		struct step step = {.step = call_numbers__step(window->numbers, c), .call = c, .nr = 1};
		struct step *last = steps.len ? (struct step *)(void *)(steps.data + steps.len) - 1 : NULL;

		if (last && last->step == step.step)
			last->nr++;
		else
			buf__add(&steps, &step, sizeof(step));
	}
	ret->list = (struct step *)(void *)steps.data;
	ret->nr = steps.len / sizeof(struct step);
	return buf__error(&steps);
}

/* How many steps at the end both have. */
static size_t same_end(const struct steps *a, const struct steps *b)
{
	size_t nr = 0;

	while (nr < a->nr && nr < b->nr && a->list[a->nr - 1 - nr].step == b->list[b->nr - 1 - nr].step)
		nr++;
	return nr;
}

/*
 * Finds the first pair of the longest common subsequence: the table has the length of that of what is behind i and j. Without
 * a pair @i and @j are how many steps there are. Returns 0 or -ENOMEM.
 */
static int first_common(const struct steps *a, const struct steps *b, size_t *i, size_t *j)
{
	size_t width = b->nr + 1;
	_cleanup_free_ uint16_t *lengths = calloc((a->nr + 1) * width, sizeof(*lengths));

	if (!lengths)
		return -ENOMEM;
	for (size_t x = a->nr; x-- > 0;) {
		for (size_t y = b->nr; y-- > 0;) {
			uint16_t down = lengths[(x + 1) * width + y], right = lengths[x * width + y + 1];

			lengths[x * width + y] = a->list[x].step == b->list[y].step
							 ? (uint16_t)(lengths[(x + 1) * width + y + 1] + 1)
							 : (down > right ? down : right);
		}
	}
	*i = *j = 0;
	while (*i < a->nr && *j < b->nr && a->list[*i].step != b->list[*j].step) {
		if (lengths[(*i + 1) * width + *j] >= lengths[*i * width + *j + 1])
			++*i;
		else
			++*j;
	}
	if (*i == a->nr || *j == b->nr) {
		*i = a->nr;
		*j = b->nr;
	}
	return 0;
}

static void set_side(struct parting_side *side, const struct steps *steps, size_t nr)
{
	side->first = nr ? steps->list[0].call : NULL;
	side->then = nr < steps->nr ? steps->list[nr].call : NULL;
	side->nr = 0;
	for (size_t i = 0; i < nr; i++)
		side->nr += steps->list[i].nr;
}

/* Finds where the paths are one again, from the calls that are not the same. */
static int find_end(struct parting *p, const struct steps *here, const struct steps *typical)
{
	size_t end = same_end(here, typical), i, j;
	struct steps a = {.list = here->list, .nr = here->nr - end},
		     b = {.list = typical->list, .nr = typical->nr - end};
	int err;

	p->is_cut = a.nr > MOST_STEPS || b.nr > MOST_STEPS;
	a.nr = a.nr < MOST_STEPS ? a.nr : MOST_STEPS;
	b.nr = b.nr < MOST_STEPS ? b.nr : MOST_STEPS;
	err = first_common(&a, &b, &i, &j);
	if (err)
		return err;
	p->is_cut &= i == a.nr;
	set_side(&p->here, here, p->is_cut ? here->nr : i);
	set_side(&p->typical, typical, p->is_cut ? typical->nr : j);
	return 1;
}

static int describe(struct parting *p, const struct window_calls *here, const struct call *a,
		    const struct window_calls *typical, const struct call *b)
{
	struct steps left = {0}, right = {0};
	int err = list_steps(here, a, &left);

	if (!err)
		err = list_steps(typical, b, &right);
	if (!err)
		err = find_end(p, &left, &right);
	free(left.list);
	free(right.list);
	return err;
}

int call_parting__find(const struct window_calls *here, const struct window_calls *typical, struct parting *p)
{
	const struct call *a, *b;

	*p = (struct parting){.here.in = &here->tree->root, .typical.in = &typical->tree->root};
	a = skip(here, p->here.in->first);
	b = skip(typical, p->typical.in->first);
	for (;;) {
		while (a && b &&
		       call_numbers__step(here->numbers, a) == call_numbers__step(typical->numbers, b)) {
			p->here = (struct parting_side){.in = a};
			p->typical = (struct parting_side){.in = b};
			a = skip(here, a->first);
			b = skip(typical, b->first);
		}
		if (a || b)
			return describe(p, here, a, typical, b);
		if (p->here.in == &here->tree->root)
			return 0;
		p->here = (struct parting_side){.in = p->here.in->parent, .behind = p->here.in};
		p->typical = (struct parting_side){.in = p->typical.in->parent, .behind = p->typical.in};
		a = call_parting__next(here, p->here.behind);
		b = call_parting__next(typical, p->typical.behind);
	}
}
