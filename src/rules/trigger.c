// SPDX-License-Identifier: GPL-2.0-only
#include "rules/trigger.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/parse.h"
#include "rules/condition_code.h"
#include "rules/function_name.h"
#include "rules/names.h"
#include "rules/rule_lex.h"
#include "rules/syscall_set.h"
#include "rules/trigger_fields.h"

#define BLANKS " \t\n"
#define TRACEPOINT_EXAMPLE "tracepoint:block:block_rq_error"

/* The last signal of Linux: its _NSIG on the architectures that auxbpf knows. */
#define LAST_SIGNAL 64

struct parser {
	const struct trigger_opts *opts;
	struct trigger *t;
	struct rule_reader r;	       /* makes the messages, reads strings */
	size_t at;		       /* where the next character of the text is */
	struct auxbpf_condition where; /* what WHERE asks of the event; without a test: nothing */
	struct trigger_fields event;
};

static int parse_syscalls(struct parser *p);
static int parse_function(struct parser *p);
static int parse_tracepoint(struct parser *p);
static int parse_signal(struct parser *p);
static int parse_softirqs(struct parser *p);
static int parse_irqs(struct parser *p);

static const struct kind {
	const char *name;
	uint32_t fields;		      /* fields besides those of the task */
	int (*parse_where)(struct parser *p); /* reads WHERE behind the colon; NULL: there is none */
	const char *wants;		      /* what WHERE must say; NULL: it can be left out */
	bool is_field;			      /* the kind is also a field, and begins the condition */
} kinds[] = {
	[AUXBPF_TRIGGER_SYSCALL] = {"syscall", CONDITION_FIELDS_ARGS | CONDITION_FIELDS_RESULT,
				    parse_syscalls,
				    "which system calls, as in syscall:openat; syscall:all is every one"},
	[AUXBPF_TRIGGER_FUNCTION] = {"function", CONDITION_FIELDS_ARGS | CONDITION_FIELDS_RESULT,
				     parse_function,
				     "which function, as in function:vfs_fsync or function:libc:malloc"},
	[AUXBPF_TRIGGER_TRACEPOINT] = {"tracepoint", 0, parse_tracepoint,
				       "which tracepoint, as in " TRACEPOINT_EXAMPLE},
	[AUXBPF_TRIGGER_OFFCPU] = {"offcpu", CONDITION_FIELDS_WAIT, .is_field = true},
	[AUXBPF_TRIGGER_RUNQ] = {"runq", CONDITION_FIELDS_WAIT, .is_field = true},
	[AUXBPF_TRIGGER_SIGNAL] = {"signal", CONDITION_FIELD(AUXBPF_FIELD_SIG), parse_signal},
	[AUXBPF_TRIGGER_EXIT] = {"exit",
				 CONDITION_FIELD(AUXBPF_FIELD_SIG) | CONDITION_FIELD(AUXBPF_FIELD_CODE)},
	[AUXBPF_TRIGGER_EXEC] = {"exec"},
	[AUXBPF_TRIGGER_FORK] = {"fork"},
	[AUXBPF_TRIGGER_OOM] = {"oom"},
	[AUXBPF_TRIGGER_SOFTIRQ] = {"softirq", CONDITION_FIELD(AUXBPF_FIELD_LATENCY), parse_softirqs},
	[AUXBPF_TRIGGER_IRQ] = {"irq", CONDITION_FIELD(AUXBPF_FIELD_LATENCY), parse_irqs},
};

#define fail(p, at, ...) rule_fail(&(p)->r, at, __VA_ARGS__)

static char next_char(const struct parser *p)
{
	return p->r.text[p->at];
}

static void skip_blanks(struct parser *p)
{
	p->at += strspn(p->r.text + p->at, BLANKS);
}

static int parse_syscalls(struct parser *p)
{
	_cleanup_free_ struct syscall_set *set = calloc(1, sizeof(*set));
	struct trigger_syscalls *syscalls = &p->t->syscalls;
	int err;

	if (!set)
		return -ENOMEM;
	err = syscall_set__parse(set, p->r.text, &p->at, p->r.message, p->r.size);
	for (unsigned int nr = 0; !err && nr < AUXBPF_MAX_SYSCALLS; nr++) {
		syscalls->native[nr / 64] |= (uint64_t)set->native[nr] << nr % 64;
		syscalls->compat[nr / 64] |= (uint64_t)set->compat[nr] << nr % 64;
	}
	return err;
}
_Static_assert(AUXBPF_SYSCALL_NONE == 0 && AUXBPF_SYSCALL_ALWAYS == 1, "they become bits");

/* Takes the word up to the next blank. */
static int take_word(struct parser *p, char **ret)
{
	size_t len = strcspn(p->r.text + p->at, BLANKS);

	*ret = strndup(p->r.text + p->at, len);
	p->at += len;
	return *ret ? 0 : -ENOMEM;
}

static int take_string(struct parser *p, char **ret)
{
	int err;

	p->r.next = p->at;
	err = rule_reader__next(&p->r);
	if (err)
		return err;
	p->at = p->r.next;
	*ret = strdup(p->r.token.text);
	return *ret ? 0 : -ENOMEM;
}

static int parse_function(struct parser *p)
{
	bool quoted = next_char(p) == '\'' || next_char(p) == '"';
	struct function_name spec = {0};
	size_t begin = p->at;
	char message[256];
	int err;

	err = quoted ? take_string(p, &p->t->where) : take_word(p, &p->t->where);
	if (err)
		return err;
	err = function_name__parse(p->t->where, &spec, message, sizeof(message));
	function_name__release(&spec);
	return err == -EINVAL ? fail(p, begin, "%s", message) : err;
}

static int take_tracepoint(struct parser *p)
{
	int err = tracepoint_name__take(&p->r, &p->at, TRACEPOINT_EXAMPLE, &p->t->tracepoint);

	if (!err && next_char(p) && !strchr(BLANKS, next_char(p)))
		return fail(p, p->at, "expected a blank behind the name of the tracepoint");
	return err;
}

static int parse_tracepoint(struct parser *p)
{
	size_t begin = p->at;
	char message[256];
	int err = take_tracepoint(p);

	if (err)
		return err;
	err = trigger_fields__load(&p->event, p->t, p->opts, message, sizeof(message));
	return err == -EINVAL ? fail(p, begin, "%s", message) : err;
}

static int fail_signal(struct parser *p, size_t at, const char *name)
{
	char names[NEAREST_MAX * (NEAREST_NAME_MAX + 8)];
	struct nearest near = {0};

	if (!*name)
		return fail(p, at, "expected a signal, as in signal:SIGSEGV; without : it is any");
	if (strchr(name, ','))
		return fail(p, at, "expected one signal; several are signal sig == SIGBUS || sig == SIGSEGV");
	names__offer_signals(&near, name);
	nearest__format(&near, names, sizeof(names));
	if (*names)
		return fail(p, at, "unknown signal '%.40s'; did you mean %s?", name, names);
	return fail(p, at, "unknown signal '%.40s'; expected a name like SIGSEGV or a number from 1 to %d",
		    name, LAST_SIGNAL);
}

static int find_signal(const char *name, uint64_t *ret)
{
	enum name_kind kind;
	int64_t val;

	if (!parse__u64(name, ret))
		return *ret && *ret <= LAST_SIGNAL ? 0 : -ENOENT;
	if (names__find(name, &kind, &val) || kind != NAME_SIGNAL)
		return -ENOENT;
	*ret = (uint64_t)val;
	return 0;
}

static int parse_signal(struct parser *p)
{
	_cleanup_free_ char *name = NULL;
	size_t begin = p->at;
	uint64_t sig;
	int err = take_word(p, &name);

	if (err)
		return err;
	if (find_signal(name, &sig))
		return fail_signal(p, begin, name);
	return condition_code__test(&p->where, AUXBPF_FIELD_SIG, AUXBPF_OP_EQ, UINT64_MAX, sig);
}

static int fail_softirq(struct parser *p, size_t at, const char *name)
{
	char names[NEAREST_MAX * (NEAREST_NAME_MAX + 8)];
	struct nearest near = {0};

	if (!*name)
		return fail(p, at, "expected a soft interrupt, as in softirq:NET_RX; without : it is any");
	names__offer_softirqs(&near, name);
	nearest__format(&near, names, sizeof(names));
	if (*names)
		return fail(p, at, "unknown soft interrupt '%.40s'; did you mean %s?", name, names);
	return fail(p, at, "unknown soft interrupt '%.40s'; /proc/softirqs lists them", name);
}

static int find_softirq(struct parser *p, size_t at, const char *name, uint64_t *ret)
{
	return names__find_softirq(name, ret) ? fail_softirq(p, at, name) : 0;
}

static int find_irq(struct parser *p, size_t at, const char *number, uint64_t *ret)
{
	if (!parse__u64(number, ret) && *ret <= INT_MAX)
		return 0;
	return fail(p, at, "expected the number of an interrupt, as in irq:24; /proc/interrupts lists them");
}

/* Lets the rule be about the interrupt @number, too. */
static int add_interrupt(struct parser *p, size_t at, uint64_t number)
{
	uint32_t second = p->where.nr_tests;

	if (condition_code__test(&p->where, AUXBPF_FIELD_IRQ, AUXBPF_OP_EQ, UINT64_MAX, number))
		return fail(p, at, "a rule has room for %d interrupts", AUXBPF_CONDITION_TESTS);
	condition_code__or(&p->where, 0, second);
	return 0;
}

/* Takes an item of a list of interrupts, up to the next comma or blank. */
static int take_interrupt(struct parser *p,
			  int (*find)(struct parser *p, size_t at, const char *item, uint64_t *ret))
{
	size_t begin = p->at, len = strcspn(p->r.text + begin, BLANKS ",");
	_cleanup_free_ char *item = strndup(p->r.text + begin, len);
	uint64_t number;
	int err;

	if (!item)
		return -ENOMEM;
	err = find(p, begin, item, &number);
	p->at += len;
	return err ? err : add_interrupt(p, begin, number);
}

/* Takes the comma that may come next, with the blanks around it. */
static bool take_comma(struct parser *p)
{
	size_t blanks = strspn(p->r.text + p->at, BLANKS);

	if (p->r.text[p->at + blanks] != ',')
		return false;
	p->at += blanks + 1;
	skip_blanks(p);
	return true;
}

static int parse_interrupts(struct parser *p,
			    int (*find)(struct parser *p, size_t at, const char *item, uint64_t *ret))
{
	int err;

	do
		err = take_interrupt(p, find);
	while (!err && take_comma(p));
	return err;
}

static int parse_softirqs(struct parser *p)
{
	return parse_interrupts(p, find_softirq);
}

static int parse_irqs(struct parser *p)
{
	return parse_interrupts(p, find_irq);
}

static int fail_kind(struct parser *p, size_t at, size_t len)
{
	char name[NEAREST_NAME_MAX], names[NEAREST_MAX * (NEAREST_NAME_MAX + 8)];
	struct nearest near = {0};

	if (!len)
		return fail(p, at, "expected a kind of trigger, as in syscall:openat ret == -ENOENT");
	snprintf(name, sizeof(name), "%.*s", (int)(len < sizeof(name) ? len : sizeof(name) - 1),
		 p->r.text + at);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		nearest__offer(&near, name, kinds[i].name);
	nearest__format(&near, names, sizeof(names));
	if (*names)
		return fail(p, at, "unknown kind of trigger '%.40s'; did you mean %s?", name, names);
	return fail(p, at,
		    "unknown kind of trigger '%.40s'; there are syscall, function, tracepoint, offcpu, runq, "
		    "signal, exit, exec, fork, oom, softirq and irq",
		    name);
}

static int parse_kind(struct parser *p)
{
	const char *word = p->r.text + p->at;
	size_t len = 0;

	while (isalnum((unsigned char)word[len]) || word[len] == '_' || word[len] == '-')
		len++;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strlen(kinds[i].name) != len || strncmp(kinds[i].name, word, len))
			continue;
		p->t->kind = (enum auxbpf_trigger_kind)i;
		p->at += len;
		return 0;
	}
	return fail_kind(p, p->at, len);
}

static int parse_where(struct parser *p, const struct kind *kind)
{
	if (next_char(p) != ':')
		return kind->wants ? fail(p, p->at, "expected : and %s", kind->wants) : 0;
	if (!kind->parse_where)
		return fail(p, p->at, "nothing is behind %s but a condition", kind->name);
	p->at++;
	if (kind->wants && (!next_char(p) || strchr(BLANKS, next_char(p))))
		return fail(p, p->at, "expected %s", kind->wants);
	return kind->parse_where(p);
}

static int parse_condition(struct parser *p, const struct kind *kind)
{
	const struct condition_event_fields event = trigger_fields__fields(&p->event);
	struct trigger *t = p->t;
	char moment[32];
	const struct condition_opts opts = {
		.fields = CONDITION_FIELDS_TASK | kind->fields,
		.moment = moment,
		.names = p->opts->names,
		.event = t->kind == AUXBPF_TRIGGER_TRACEPOINT ? &event : NULL,
	};

	snprintf(moment, sizeof(moment), "at %s", kind->name);
	t->has_condition = true;
	return condition__parse_rest(p->r.text, p->at, &opts, &t->condition, p->r.message, p->r.size);
}

/* Parses the condition, if there is one. @begin is where the rule's kind begins. */
static int parse_rest(struct parser *p, const struct kind *kind, size_t begin)
{
	skip_blanks(p);
	if (kind->is_field && !next_char(p))
		return fail(p, p->at, "expected a time behind %s, as in %s > 5ms", kind->name, kind->name);
	if (kind->is_field)
		p->at = begin;
	return next_char(p) ? parse_condition(p, kind) : 0;
}

/*
 * Adds what WHERE asks of the event, as in signal:SIGSEGV. @begin and @end are where the kind begins and WHERE
 * ends. It is tested first, as most events are others.
 */
static int add_where(struct parser *p, size_t begin, size_t end)
{
	struct trigger *t = p->t;
	const struct auxbpf_condition rest = t->condition;
	int err = 0;

	if (!p->where.nr_tests)
		return 0;
	t->condition = p->where;
	if (t->has_condition)
		err = condition__and(&t->condition, &rest);
	t->has_condition = true;
	if (err == -E2BIG)
		return fail(p, p->at, "the condition is too long: with %.*s there is room for %u comparisons",
			    (int)(end - begin < 60 ? end - begin : 60), p->r.text + begin,
			    AUXBPF_CONDITION_TESTS - p->where.nr_tests);
	return err;
}

static int parse_rule(struct parser *p)
{
	const struct kind *kind;
	size_t begin, end;
	int err;

	skip_blanks(p);
	begin = p->at;
	err = parse_kind(p);
	if (err)
		return err;
	kind = &kinds[p->t->kind];
	err = parse_where(p, kind);
	end = p->at;
	if (!err)
		err = parse_rest(p, kind, begin);
	return err ? err : add_where(p, begin, end);
}

/* Sets the text, and the members that follow from the kind and the condition. */
static int finish(struct trigger *t, const char *text)
{
	const char *end;

	text += strspn(text, BLANKS);
	end = text + strlen(text);
	while (end > text && strchr(BLANKS, end[-1]))
		end--;
	t->text = strndup(text, (size_t)(end - text));
	t->fields = t->has_condition ? condition__fields(&t->condition) : 0;
	t->at_entry = (t->kind == AUXBPF_TRIGGER_SYSCALL || t->kind == AUXBPF_TRIGGER_FUNCTION) &&
		      !(t->fields & CONDITION_FIELDS_RESULT);
	return t->text ? 0 : -ENOMEM;
}

int trigger__parse(const char *text, const struct trigger_opts *opts, struct trigger *ret, char *message,
		   size_t size)
{
	struct parser p = {
		.opts = opts,
		.t = ret,
		.r = {.text = text, .message = message, .size = size},
	};
	int err;

	*ret = (struct trigger){0};
	*message = '\0';
	err = parse_rule(&p);
	if (!err)
		err = finish(ret, text);
	trigger_fields__release(&p.event);
	if (err)
		trigger__release(ret);
	return err;
}

static bool has_number(const uint64_t *set, unsigned int nr)
{
	return set[nr / 64] >> nr % 64 & 1;
}

bool trigger__precedes_window(const struct trigger *t, const struct window_set *windows)
{
	const struct syscall_set *set = &windows->syscalls;

	if (t->kind != AUXBPF_TRIGGER_SYSCALL || !t->at_entry || windows->on_cpu)
		return false;
	for (unsigned int nr = 0; nr < AUXBPF_MAX_SYSCALLS; nr++)
		if ((set->native[nr] && has_number(t->syscalls.native, nr)) ||
		    (set->compat[nr] && has_number(t->syscalls.compat, nr)))
			return true;
	return false;
}

void trigger__release(struct trigger *t)
{
	free(t->text);
	free(t->where);
	tracepoint_name__release(&t->tracepoint);
	*t = (struct trigger){0};
}
