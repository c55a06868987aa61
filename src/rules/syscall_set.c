// SPDX-License-Identifier: GPL-2.0-only
#include "rules/syscall_set.h"

#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <seccomp.h>
#include <string.h>

#include "base/nearest.h"
#include "base/parse.h"
#include "rules/rule_lex.h"
#include "rules/syscall_class.h"

#define BLANKS " \t\n"

/*
 * Limits for regular expressions. regcomp() calls itself for each parenthesis, and names have at most about
 * thirty characters.
 */
#define REGEX_MAX_LEN 256
#define REGEX_MAX_COPIES 1024
#define REGEX_MAX_LOOPS 3

enum {
	ABI_NATIVE,
	ABI_COMPAT,
	NR_ABIS,
};

/*
 * The number of values that an entry of the set may have while an item is applied. Each condition of the set
 * may get a successor then, and calls without one a first condition. Those that no entry refers to any more
 * are dropped after the item.
 */
#define MAX_STATES (AUXBPF_SYSCALL_CONDITION + 2 * AUXBPF_MAX_CONDITIONS + 1)
_Static_assert(MAX_STATES <= UINT8_MAX, "they are bytes in the tables");

/* Applies one item of a list at a time. */
struct parser {
	struct syscall_set *set;
	const struct condition_names *condition_names;
	struct rule_reader r; /* makes the messages */
	size_t at;	      /* where the next character of the text is */
	size_t item_at;
	bool plain;				   /* the list has no conditions and ends at a blank */
	char *names[NR_ABIS][AUXBPF_MAX_SYSCALLS]; /* NULL where there is no such call */
	bool chosen[NR_ABIS][AUXBPF_MAX_SYSCALLS]; /* the calls that this item names */
	char *item;
	bool exclude;
	bool has_condition;
	struct auxbpf_condition condition;
	struct auxbpf_condition
		conditions[2 * AUXBPF_MAX_CONDITIONS + 1]; /* those of the set, until the list is done */
	size_t nr_conditions;
};

#define fail(p, ...) rule_fail(&(p)->r, (p)->item_at, __VA_ARGS__)

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
 * Loads the names of all numbers. To look up the number of each name would not do: for calls that 32-bit x86
 * can also make through socketcall or ipc, libseccomp answers with a number of its own.
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

/* Chooses the calls of both ABIs for whose names @has returns true. Returns whether there are any. */
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
		return fail(p, "unknown %s '%.80s'; did you mean %s?", what, p->item, names);
	return fail(p, "unknown %s '%.80s'; %s", what, p->item, help);
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
		return fail(p, "no system call of this machine is in %.80s", p->item);
	return 0;
}

/* Returns the largest number in the braces at the begin of @s, from 1 to @max. */
static unsigned int largest_in_braces(const char *s, unsigned int max)
{
	unsigned int val = 0, largest = 1;

	for (s++; isdigit((unsigned char)*s) || *s == ','; s++) {
		val = *s == ',' ? 0 : val * 10 + (unsigned int)(*s - '0');
		if (val >= max)
			return max;
		if (val > largest)
			largest = val;
	}
	return largest;
}

/*
 * Tells whether regcomp() would copy too much. glibc copies what is repeated, x+ once and x{9} eight
 * times, and copies of copies multiply.
 */
static bool repeats_too_often(const char *regex)
{
	unsigned int copies = 1;

	for (; *regex && copies < REGEX_MAX_COPIES; regex++) {
		if (*regex == '+')
			copies *= 2;
		else if (*regex == '{')
			copies *= largest_in_braces(regex, REGEX_MAX_COPIES);
	}
	return copies >= REGEX_MAX_COPIES;
}

/*
 * Tells whether regcomp() would take too long over repetitions of what is repeated or in parentheses. With an
 * anchor glibc follows each way through these: /^()++++/ takes 7 ms, and with one + more it takes 14 s.
 */
static bool repeats_too_deeply(const char *regex)
{
	unsigned int loops = 0;

	for (const char *c = regex + 1; *c; c++)
		loops += *c == '+' && strchr(")+*?}", c[-1]);
	return strpbrk(regex, "^$") && loops >= REGEX_MAX_LOOPS;
}

static int choose_regex(struct parser *p)
{
	size_t len = strlen(p->item);
	char why[128];
	regex_t regex;
	int err;

	if (len > REGEX_MAX_LEN)
		return fail(p, "a regular expression of %zu characters is too long", len);
	if (len < 2 || p->item[len - 1] != '/')
		return fail(p, "a regular expression has a slash at each end, and '%.80s' has not", p->item);
	if (repeats_too_often(p->item) || repeats_too_deeply(p->item))
		return fail(p, "the regular expression %.80s repeats what it repeats too often", p->item);
	p->item[len - 1] = '\0';
	err = regcomp(&regex, p->item + 1, REG_EXTENDED | REG_NOSUB);
	p->item[len - 1] = '/';
	if (err) {
		regerror(err, &regex, why, sizeof(why));
		return fail(p, "the regular expression %.80s is wrong: %s", p->item, why);
	}
	err = choose(p, matches, &regex) ? 0 : fail(p, "no system call matches %.80s", p->item);
	regfree(&regex);
	return err;
}

static int choose_number(struct parser *p, uint64_t nr)
{
	if (nr >= AUXBPF_MAX_SYSCALLS)
		return fail(p, "there is no system call %.80s; the numbers end below %d", p->item,
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

/* Finds the value of an entry that was @from and is now listed with the item's condition, too. */
static int join(struct parser *p, uint8_t from, uint8_t *ret)
{
	struct auxbpf_condition *condition = &p->conditions[p->nr_conditions];

	*ret = AUXBPF_SYSCALL_ALWAYS;
	if (from == AUXBPF_SYSCALL_ALWAYS)
		return 0;
	*condition = p->condition;
	if (from != AUXBPF_SYSCALL_NONE) {
		*condition = p->conditions[from - AUXBPF_SYSCALL_CONDITION];
		if (condition__or(condition, &p->condition))
			return fail(p, "the conditions of '%.80s' here and before are too long together",
				    p->item);
	}
	*ret = (uint8_t)(AUXBPF_SYSCALL_CONDITION + p->nr_conditions++);
	return 0;
}

/*
 * Finds the value that the item gives to an entry that was @from. @memo has the results for other values, 0
 * for none.
 */
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
	/* In strace's lists a ! at the begin is for the whole list. */
	if (p->set->began_with_all && !p->exclude && !changed)
		return fail(p,
			    "a list that begins with ! has all system calls but the excluded ones, so "
			    "'%.80s' adds nothing; to exclude it too, write !%.80s",
			    p->item, p->item);
	return 0;
}

/* Drops the conditions that no call has any more, and moves the others to the first places. */
static int drop_unused_conditions(struct parser *p)
{
	uint8_t to[MAX_STATES] = {AUXBPF_SYSCALL_NONE, AUXBPF_SYSCALL_ALWAYS};
	size_t kept = 0;

	for (int abi = 0; abi < NR_ABIS; abi++) {
		for (int nr = 0; nr < AUXBPF_MAX_SYSCALLS; nr++)
			to[table(p, abi)[nr]] |= table(p, abi)[nr] >= AUXBPF_SYSCALL_CONDITION;
	}
	for (size_t i = 0; i < p->nr_conditions; i++) {
		if (!to[AUXBPF_SYSCALL_CONDITION + i])
			continue;
		if (kept == AUXBPF_MAX_CONDITIONS)
			return fail(p, "with '%.80s' there are more than %d different conditions", p->item,
				    AUXBPF_MAX_CONDITIONS);
		p->conditions[kept] = p->conditions[i];
		to[AUXBPF_SYSCALL_CONDITION + i] = (uint8_t)(AUXBPF_SYSCALL_CONDITION + kept++);
	}
	p->nr_conditions = kept;
	for (int abi = 0; abi < NR_ABIS; abi++) {
		for (int nr = 0; nr < AUXBPF_MAX_SYSCALLS; nr++)
			table(p, abi)[nr] = to[table(p, abi)[nr]];
	}
	return 0;
}

static int apply_item(struct parser *p)
{
	int err;

	/* Only the very first item finds the set empty: an item that leaves it empty is an error. */
	if (p->exclude && is_empty(p))
		begin_with_all(p);
	err = apply(p);
	if (!err)
		err = drop_unused_conditions(p);
	if (!err && is_empty(p))
		return fail(p, "with '!%.80s' no system call is left in the list", p->item);
	return err;
}

/*
 * Returns the length of the item at @s. It ends at a comma or condition that is not inside a regular
 * expression.
 */
static size_t item_length(const char *s, bool plain)
{
	size_t len = 0;

	if (*s == '/' && strchr(s + 1, '/'))
		len = (size_t)(strchr(s + 1, '/') - s);
	return len + strcspn(s + len, plain ? ",(" BLANKS : ",(");
}

static void trim_end(char *s)
{
	size_t len = strlen(s);

	while (len && strchr(BLANKS, s[len - 1]))
		s[--len] = '\0';
}

static char next_char(const struct parser *p)
{
	return p->r.text[p->at];
}

static void skip_blanks(struct parser *p)
{
	p->at += strspn(p->r.text + p->at, BLANKS);
}

/* Takes a condition, from its opening parenthesis to its closing one. */
static int take_condition(struct parser *p)
{
	const struct condition_opts opts = {
		.fields = CONDITION_FIELDS_ARGS | CONDITION_FIELDS_TASK,
		.moment = "at the begin of a system call",
		.names = p->condition_names,
	};
	int err;

	if (p->plain)
		return rule_fail(&p->r, p->at,
				 "the condition of a trigger is for all its calls, behind a blank");
	if (p->exclude)
		return rule_fail(&p->r, p->at, "what is excluded with ! has no condition");
	p->at++;
	err = condition__parse(p->r.text, &p->at, &opts, &p->condition, p->r.message, p->r.size);
	if (err)
		return err;
	if (!next_char(p))
		return rule_fail(&p->r, p->at, "expected ) or && or ||");
	p->at++;
	p->has_condition = true;
	return 0;
}

static int take_item(struct parser *p)
{
	size_t len;

	skip_blanks(p);
	p->item_at = p->at;
	p->exclude = next_char(p) == '!';
	p->at += p->exclude;
	skip_blanks(p);
	len = item_length(p->r.text + p->at, p->plain);
	free(p->item);
	p->item = strndup(p->r.text + p->at, len);
	if (!p->item)
		return -ENOMEM;
	trim_end(p->item);
	p->at += len;
	p->has_condition = false;
	return 0;
}

static int add_item(struct parser *p)
{
	int err = take_item(p);

	if (!err)
		err = choose_item(p);
	if (!err && next_char(p) == '(')
		err = take_condition(p);
	if (!err)
		err = apply_item(p);
	return err;
}

/* Tells whether another item follows. If none does, the place stays where the last one ended. */
static bool take_comma(struct parser *p)
{
	size_t end = p->at;

	skip_blanks(p);
	if (next_char(p) == ',') {
		p->at++;
		return true;
	}
	if (p->plain)
		p->at = end;
	return false;
}

static int add_items(struct parser *p)
{
	int err;

	memcpy(p->conditions, p->set->conditions, sizeof(p->set->conditions));
	p->nr_conditions = p->set->nr_conditions;
	do
		err = add_item(p);
	while (!err && take_comma(p));
	if (!err && !p->plain && next_char(p))
		err = rule_fail(&p->r, p->at, "expected a comma behind the condition of '%.80s'", p->item);
	memcpy(p->set->conditions, p->conditions, sizeof(p->set->conditions));
	p->set->nr_conditions = p->nr_conditions;
	return err;
}

static int add_list(struct parser *p)
{
	int err;

	load_names(p->names[ABI_NATIVE], seccomp_arch_native());
	load_names(p->names[ABI_COMPAT], compat_arch());
	err = add_items(p);
	free(p->item);
	free_names(p);
	return err;
}

int syscall_set__add(struct syscall_set *set, const char *list, const struct condition_names *names,
		     char *message, size_t size)
{
	_cleanup_free_ struct parser *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->set = set;
	p->condition_names = names;
	p->r = (struct rule_reader){.text = list, .message = message, .size = size};
	return add_list(p);
}

int syscall_set__parse(struct syscall_set *set, const char *text, size_t *at, char *message, size_t size)
{
	_cleanup_free_ struct parser *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return -ENOMEM;
	p->set = set;
	p->plain = true;
	p->at = *at;
	p->r = (struct rule_reader){.text = text, .message = message, .size = size};
	err = add_list(p);
	*at = p->at;
	return err;
}

/* Returns the number, or -1: libseccomp's negative numbers are for calls that other architectures have. */
static int number_of(uint32_t arch, const char *name)
{
	int nr = arch ? seccomp_syscall_resolve_name_arch(arch, name) : -1;

	return nr < 0 ? -1 : nr;
}

int syscall__number(const char *name)
{
	return number_of(seccomp_arch_native(), name);
}

int syscall__restart_nr(void)
{
	return syscall__number("restart_syscall");
}

int syscall__compat_restart_nr(void)
{
	return number_of(compat_arch(), "restart_syscall");
}

size_t syscall__user_calls(int nrs[SYSCALL_USER_CALLS])
{
	static const char *const names[] = {"setuid",	"setreuid",   "setresuid",
					    "setuid32", "setreuid32", "setresuid32"};
	const uint32_t archs[] = {seccomp_arch_native(), compat_arch()};
	size_t count = 0;

	for (size_t i = 0; i < SYSCALL_USER_CALLS; i++) {
		nrs[count] = number_of(archs[i % 2], names[i / 2]);
		if (nrs[count] >= 0)
			count++;
	}
	return count;
}

int syscall__name(int nr, bool compat, char **ret)
{
	uint32_t arch = compat ? compat_arch() : seccomp_arch_native();

	errno = 0;
	*ret = arch ? seccomp_syscall_resolve_num_arch(arch, nr) : NULL;
	return !*ret && errno == ENOMEM ? -ENOMEM : 0;
}
