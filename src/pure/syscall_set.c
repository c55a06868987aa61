// SPDX-License-Identifier: GPL-2.0-only
#include "pure/syscall_set.h"

#include <errno.h>
#include <regex.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "pure/nearest.h"
#include "pure/rule_lex.h"
#include "pure/syscall_class.h"

#define BLANKS " \t\n"

enum {
	ABI_NATIVE,
	ABI_COMPAT,
	NR_ABIS,
};

/*
 * While an item is applied, each rule of the set may get a successor, and NONE a first one; those that
 * nothing refers to any more are dropped after it.
 */
#define MAX_STATES (AUXBPF_SYSCALL_RULE + 2 * AUXBPF_MAX_RULES + 1)
_Static_assert(MAX_STATES <= UINT8_MAX, "they are bytes in the tables");

/* One item of a list, and what a list is read with. */
struct parser {
	struct syscall_set *set;
	const struct rule_names *rule_names;
	const char *list;
	char *names[NR_ABIS][AUXBPF_MAX_SYSCALLS]; /* NULL where there is no such call */
	bool chosen[NR_ABIS][AUXBPF_MAX_SYSCALLS]; /* by this item */
	char *item;
	bool exclude;
	bool has_condition;
	struct auxbpf_rule condition;
	struct auxbpf_rule rules[2 * AUXBPF_MAX_RULES + 1]; /* the set's, until the list is done */
	size_t nr_rules;
	char *message;
	size_t size;
};

#define fail(p, ...) (snprintf((p)->message, (p)->size, __VA_ARGS__), -EINVAL)

static uint32_t compat_arch(void)
{
	switch (seccomp_arch_native()) {
	case SCMP_ARCH_X86_64:
		return SCMP_ARCH_X86;
	case SCMP_ARCH_AARCH64:
		return SCMP_ARCH_ARM;
	default:
		return 0;
	}
}

/*
 * By number and not by name: for calls that 32-bit x86 can also make through socketcall or ipc, libseccomp
 * answers a name with a number of its own.
 */
static void load_names(char **names, uint32_t arch)
{
	for (int nr = 0; arch && nr < AUXBPF_MAX_SYSCALLS; nr++)
		names[nr] = seccomp_syscall_resolve_num_arch(arch, nr);
}

static void free_names(struct parser *p)
{
	for (int abi = 0; abi < NR_ABIS; abi++) {
		for (int nr = 0; nr < AUXBPF_MAX_SYSCALLS; nr++)
			free(p->names[abi][nr]);
	}
}

static bool equals(const void *wanted, const char *name)
{
	return !strcmp(wanted, name);
}

static bool in_class(const void *class, const char *name)
{
	return syscall_class__has(class, name);
}

static bool matches(const void *regex, const char *name)
{
	return !regexec(regex, name, 0, NULL, 0);
}

/* Chooses the calls of both ABIs whose names @has says yes to; returns whether there are any. */
static bool choose(struct parser *p, bool (*has)(const void *arg, const char *name), const void *arg)
{
	bool any = false;

	for (int abi = 0; abi < NR_ABIS; abi++) {
		for (int nr = 0; nr < AUXBPF_MAX_SYSCALLS; nr++) {
			p->chosen[abi][nr] = p->names[abi][nr] && has(arg, p->names[abi][nr]);
			any |= p->chosen[abi][nr];
		}
	}
	return any;
}

static int fail_unknown(struct parser *p, const struct nearest *near, const char *what, const char *help)
{
	char names[NEAREST_MAX * (NEAREST_NAME_MAX + 8)];

	nearest__format(near, names, sizeof(names));
	if (*names)
		return fail(p, "unknown %s '%s'; did you mean %s?", what, p->item, names);
	return fail(p, "unknown %s '%s'; %s", what, p->item, help);
}

static int choose_name(struct parser *p)
{
	struct nearest near = {0};

	if (choose(p, equals, p->item))
		return 0;
	if (!strcmp(p->item, "none"))
		return fail(p, "'none' traces nothing; name the system calls");
	for (int abi = 0; abi < NR_ABIS; abi++) {
		for (int nr = 0; nr < AUXBPF_MAX_SYSCALLS; nr++) {
			if (p->names[abi][nr])
				nearest__offer(&near, p->item, p->names[abi][nr]);
		}
	}
	return fail_unknown(p, &near, "system call", "`man 2 syscalls` lists them");
}

static int choose_class(struct parser *p)
{
	const struct syscall_class *class = syscall_class__find(p->item + 1);
	struct nearest near = {0};

	if (!class) {
		syscall_class__offer(&near, p->item);
		return fail_unknown(p, &near, "class of system calls", "`man strace` lists them");
	}
	if (!choose(p, in_class, class))
		return fail(p, "no system call of this machine is in %s", p->item);
	return 0;
}

static int choose_regex(struct parser *p)
{
	size_t len = strlen(p->item);
	char why[128];
	regex_t regex;
	int err;

	if (len < 2 || p->item[len - 1] != '/')
		return fail(p, "a regular expression has a slash at each end, and '%s' has not", p->item);
	p->item[len - 1] = '\0';
	err = regcomp(&regex, p->item + 1, REG_EXTENDED | REG_NOSUB);
	p->item[len - 1] = '/';
	if (err) {
		regerror(err, &regex, why, sizeof(why));
		return fail(p, "the regular expression %s is wrong: %s", p->item, why);
	}
	err = choose(p, matches, &regex) ? 0 : fail(p, "no system call matches %s", p->item);
	regfree(&regex);
	return err;
}

static int choose_number(struct parser *p, uint64_t nr)
{
	if (nr >= AUXBPF_MAX_SYSCALLS)
		return fail(p, "there is no system call %s; the numbers end below %d", p->item,
			    AUXBPF_MAX_SYSCALLS);
	memset(p->chosen, false, sizeof(p->chosen));
	p->chosen[ABI_NATIVE][nr] = true;
	return 0;
}

static int choose_item(struct parser *p)
{
	uint64_t nr;

	if (!*p->item)
		return fail(p, "an empty name in the list of system calls");
	if (*p->item == '%')
		return choose_class(p);
	if (*p->item == '/')
		return choose_regex(p);
	if (!parse__u64(p->item, &nr))
		return choose_number(p, nr);
	if (strcmp(p->item, "all"))
		return choose_name(p);
	memset(p->chosen, true, sizeof(p->chosen));
	return 0;
}

static uint8_t *table(struct parser *p, int abi)
{
	return abi == ABI_NATIVE ? p->set->native : p->set->compat;
}

static bool is_empty(struct parser *p)
{
	for (int abi = 0; abi < NR_ABIS; abi++) {
		for (int nr = 0; nr < AUXBPF_MAX_SYSCALLS; nr++) {
			if (table(p, abi)[nr] != AUXBPF_SYSCALL_NONE)
				return false;
		}
	}
	return true;
}

static void begin_with_all(struct parser *p)
{
	memset(p->set->native, AUXBPF_SYSCALL_ALWAYS, sizeof(p->set->native));
	memset(p->set->compat, AUXBPF_SYSCALL_ALWAYS, sizeof(p->set->compat));
	p->set->began_with_all = true;
}

/* What a call that is listed as @from becomes if it is listed with the item's condition too. */
static int join(struct parser *p, uint8_t from, uint8_t *ret)
{
	struct auxbpf_rule *rule = &p->rules[p->nr_rules];

	*ret = AUXBPF_SYSCALL_ALWAYS;
	if (from == AUXBPF_SYSCALL_ALWAYS)
		return 0;
	*rule = p->condition;
	if (from != AUXBPF_SYSCALL_NONE) {
		*rule = p->rules[from - AUXBPF_SYSCALL_RULE];
		if (rule__or(rule, &p->condition))
			return fail(p, "the conditions of '%s' here and before are too long together",
				    p->item);
	}
	*ret = (uint8_t)(AUXBPF_SYSCALL_RULE + p->nr_rules++);
	return 0;
}

/* What the item makes of a call that is listed as @from; @memo has what it made of others, 0 for none. */
static int change(struct parser *p, uint8_t from, uint8_t *memo, uint8_t *ret)
{
	int err = 0;

	if (p->has_condition && !memo[from])
		err = join(p, from, &memo[from]);
	if (p->exclude)
		*ret = AUXBPF_SYSCALL_NONE;
	else
		*ret = p->has_condition ? memo[from] : AUXBPF_SYSCALL_ALWAYS;
	return err;
}

static int apply(struct parser *p)
{
	uint8_t memo[MAX_STATES] = {0}, to = 0;
	bool changed = false;
	int err;

	for (int abi = 0; abi < NR_ABIS; abi++) {
		for (int nr = 0; nr < AUXBPF_MAX_SYSCALLS; nr++) {
			if (!p->chosen[abi][nr])
				continue;
			err = change(p, table(p, abi)[nr], memo, &to);
			if (err)
				return err;
			changed |= table(p, abi)[nr] != to;
			table(p, abi)[nr] = to;
		}
	}
	/* strace's ! is for the whole list. */
	if (p->set->began_with_all && !p->exclude && !changed)
		return fail(
			p,
			"a list that begins with ! has all system calls but the excluded ones, so '%s' adds "
			"nothing; to exclude it too, write !%s",
			p->item, p->item);
	return 0;
}

/* Drops the rules that no call has any more, and gives the others the first places. */
static int drop_unused_rules(struct parser *p)
{
	uint8_t to[MAX_STATES] = {AUXBPF_SYSCALL_NONE, AUXBPF_SYSCALL_ALWAYS};
	size_t kept = 0;

	for (int abi = 0; abi < NR_ABIS; abi++) {
		for (int nr = 0; nr < AUXBPF_MAX_SYSCALLS; nr++)
			to[table(p, abi)[nr]] |= table(p, abi)[nr] >= AUXBPF_SYSCALL_RULE;
	}
	for (size_t i = 0; i < p->nr_rules; i++) {
		if (!to[AUXBPF_SYSCALL_RULE + i])
			continue;
		if (kept == AUXBPF_MAX_RULES)
			return fail(p, "with '%s' there are more than %d different conditions", p->item,
				    AUXBPF_MAX_RULES);
		p->rules[kept] = p->rules[i];
		to[AUXBPF_SYSCALL_RULE + i] = (uint8_t)(AUXBPF_SYSCALL_RULE + kept++);
	}
	p->nr_rules = kept;
	for (int abi = 0; abi < NR_ABIS; abi++) {
		for (int nr = 0; nr < AUXBPF_MAX_SYSCALLS; nr++)
			table(p, abi)[nr] = to[table(p, abi)[nr]];
	}
	return 0;
}

static int apply_item(struct parser *p)
{
	int err;

	/* Only the very first item finds the set empty: what empties it is an error. */
	if (p->exclude && is_empty(p))
		begin_with_all(p);
	err = apply(p);
	if (!err)
		err = drop_unused_rules(p);
	if (!err && is_empty(p))
		return fail(p, "with '!%s' no system call is left in the list", p->item);
	return err;
}

/* Where the item at @s ends: at the comma or condition that is not inside a regular expression. */
static size_t item_length(const char *s)
{
	size_t len = 0;

	if (*s == '/' && strchr(s + 1, '/'))
		len = (size_t)(strchr(s + 1, '/') - s);
	return len + strcspn(s + len, ",(");
}

static void trim_end(char *s)
{
	size_t len = strlen(s);

	while (len && strchr(BLANKS, s[len - 1]))
		s[--len] = '\0';
}

/* From the opening parenthesis on, to behind the closing one and the blanks that follow. */
static int take_condition(struct parser *p, size_t *at)
{
	const struct rule_reader r = {.text = p->list, .message = p->message, .size = p->size};
	const struct rule_opts opts = {
		.fields = RULE_FIELDS_ARGS | RULE_FIELDS_TASK,
		.moment = "at the begin of a system call",
		.names = p->rule_names,
	};
	size_t begin = (*at)++;
	int err;

	if (p->exclude)
		return rule_fail(&r, begin, "what is excluded with ! has no condition");
	err = rule__parse(p->list, at, &opts, &p->condition, p->message, p->size);
	if (err)
		return err;
	if (!p->list[*at])
		return rule_fail(&r, *at, "expected ) or && or ||");
	(*at)++;
	*at += strspn(p->list + *at, BLANKS);
	if (p->list[*at] && p->list[*at] != ',')
		return rule_fail(&r, *at, "expected a comma behind the condition of '%s'", p->item);
	p->has_condition = true;
	return 0;
}

static int add_item(struct parser *p, size_t *at)
{
	_cleanup_free_ char *copy = NULL;
	size_t len;
	int err;

	*at += strspn(p->list + *at, BLANKS);
	p->exclude = p->list[*at] == '!';
	*at += p->exclude;
	*at += strspn(p->list + *at, BLANKS);
	len = item_length(p->list + *at);
	copy = strndup(p->list + *at, len);
	if (!copy)
		return -ENOMEM;
	trim_end(copy);
	p->item = copy;
	*at += len;
	p->has_condition = false;
	err = choose_item(p);
	if (!err && p->list[*at] == '(')
		err = take_condition(p, at);
	return err ? err : apply_item(p);
}

static int add_items(struct parser *p)
{
	size_t at = 0;
	int err;

	memcpy(p->rules, p->set->rules, sizeof(p->set->rules));
	p->nr_rules = p->set->nr_rules;
	do
		err = add_item(p, &at);
	while (!err && p->list[at++]);
	memcpy(p->set->rules, p->rules, sizeof(p->set->rules));
	p->set->nr_rules = p->nr_rules;
	return err;
}

int syscall_set__add(struct syscall_set *set, const char *list, const struct rule_names *names, char *message,
		     size_t size)
{
	_cleanup_free_ struct parser *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return -ENOMEM;
	p->set = set;
	p->list = list;
	p->rule_names = names;
	p->message = message;
	p->size = size;
	load_names(p->names[ABI_NATIVE], seccomp_arch_native());
	load_names(p->names[ABI_COMPAT], compat_arch());
	err = add_items(p);
	free_names(p);
	return err;
}

/* The number, or -1: libseccomp's negative numbers are calls that other architectures have. */
static int restart_nr(uint32_t arch)
{
	int nr = arch ? seccomp_syscall_resolve_name_arch(arch, "restart_syscall") : -1;

	return nr < 0 ? -1 : nr;
}

int syscall__restart_nr(void)
{
	return restart_nr(seccomp_arch_native());
}

int syscall__compat_restart_nr(void)
{
	return restart_nr(compat_arch());
}
