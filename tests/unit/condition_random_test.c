// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random conditions: what auxbpf_condition__eval() says of the compiled form is compared with what a plain
 * recursive evaluation of the tree says that the text was written from. And random text, which must give a
 * condition or a message and nothing worse.
 */
#include <errno.h>
#include <stdlib.h>

#include "auxbpf_condition.h"
#include "check.h"
#include "rules/condition.h"
#include "rules/condition_value.h"

#define ROUNDS 30000
#define MAX_NODES 128

enum node_kind {
	NODE_AND,
	NODE_OR,
	NODE_NOT,
	NODE_BITS,    /* field & mask */
	NODE_COMPARE, /* field OP value */
	NODE_MASKED,  /* (field & mask) OP value */
	NODE_COMM,
};

enum op {
	EQ,
	NE,
	LT,
	LE,
	GT,
	GE,
	NR_OPS,
};

struct node {
	enum node_kind kind;
	const struct node *left, *right;
	enum auxbpf_field field;
	enum op op;
	uint64_t mask;
	bool negative;
	uint64_t val; /* two's complement of a negative one */
	const char *comm;
};

struct event {
	__u64 fields[AUXBPF_FIELD_NR];
	char comm[AUXBPF_COMM_LEN];
};

static const char *const op_texts[] = {"==", "!=", "<", "<=", ">", ">="};
static const char *const comms[] = {"bash", "postgres", "kworker/0:1", "12345678", "a"};

/* Few values with much at their edges, so that fields and values often meet. */
static const uint64_t values[] = {
	1,
	2,
	3,
	4,
	7,
	100,
	4096,
	0x7ffffffe,
	0x7fffffff,
	0x80000000,
	0xfffffffe,
	0xffffffff,
	0x100000000,
	0x7ffffffffffffffe,
	0xfffffffffffffffe,
	0xffffffff7fffffff,
	0xffffffff80000000,
};

static const struct {
	enum auxbpf_field field;
	const char *name;
	uint64_t max;
} fields[] = {
	{AUXBPF_FIELD_ARG0, "arg0", UINT64_MAX},       {AUXBPF_FIELD_ARG5, "arg5", UINT64_MAX},
	{AUXBPF_FIELD_RET, "ret", INT64_MAX},	       {AUXBPF_FIELD_PID, "pid", INT32_MAX},
	{AUXBPF_FIELD_TID, "tid", INT32_MAX},	       {AUXBPF_FIELD_CPU, "cpu", INT32_MAX},
	{AUXBPF_FIELD_PPID, "ppid", INT32_MAX},	       {AUXBPF_FIELD_UID, "uid", UINT32_MAX},
	{AUXBPF_FIELD_LATENCY, "latency", UINT64_MAX}, {AUXBPF_FIELD_SIG, "sig", 63},
	{AUXBPF_FIELD_EXTRA3, "error", INT32_MAX},
};

static unsigned int below(unsigned int n)
{
	return (unsigned int)rand() % n;
}

static uint64_t any_value(uint64_t max)
{
	return values[below(ARRAY_SIZE(values))] & max;
}

static bool is_signed(enum auxbpf_field field)
{
	return field == AUXBPF_FIELD_RET || field == AUXBPF_FIELD_EXTRA3;
}

static bool is_raw(enum auxbpf_field field)
{
	return field <= AUXBPF_FIELD_ARG5 || is_signed(field);
}

static const char *field_name(enum auxbpf_field field)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (fields[i].field == field)
			return fields[i].name;
	}
	abort();
}

static void make_leaf(struct node *n)
{
	unsigned int i = below(ARRAY_SIZE(fields));

	n->field = fields[i].field;
	n->op = (enum op)below(NR_OPS);
	n->val = any_value(fields[i].max);
	/* 0 and the largest values are errors for some operators. */
	n->val += !n->val;
	n->val -= n->val == fields[i].max;
	n->kind = NODE_COMPARE;
	if (below(8) == 0) {
		n->kind = NODE_COMM;
		n->op = below(2) ? EQ : NE;
		n->comm = comms[below(ARRAY_SIZE(comms))];
	} else if (is_raw(n->field) && below(3) == 0) {
		n->kind = below(2) ? NODE_BITS : NODE_MASKED;
		/* Not all ones, so that the value can be below the largest one. */
		n->mask = any_value(UINT64_MAX) | 0x30;
		n->val = 0x10;
	} else if (is_raw(n->field) && below(2)) {
		n->negative = true;
		n->val = below(4) ? -(uint64_t)(1 + below(5)) : -(uint64_t)(0x7ffffffe + below(4));
		if (n->field == AUXBPF_FIELD_EXTRA3)
			n->val |= 0xffffffff80000001;
	}
}

static struct node *make_tree(struct node **pool, unsigned int depth)
{
	struct node *n = (*pool)++;

	memset(n, 0, sizeof(*n));
	if (!depth || below(4) == 0) {
		make_leaf(n);
		return n;
	}
	n->kind = (enum node_kind)below(NODE_NOT + 1);
	n->left = make_tree(pool, depth - 1);
	if (n->kind != NODE_NOT)
		n->right = make_tree(pool, depth - 1);
	return n;
}

static bool compare_unsigned(uint64_t a, enum op op, uint64_t b)
{
	bool results[NR_OPS] = {a == b, a != b, a<b, a <= b, a> b, a >= b};

	return results[op];
}

static bool compare_signed(int64_t a, enum op op, int64_t b)
{
	bool results[NR_OPS] = {a == b, a != b, a<b, a <= b, a> b, a >= b};

	return results[op];
}

static bool compare_field(const struct node *n, uint64_t field)
{
	if (is_signed(n->field))
		return compare_signed((int64_t)field, n->op, (int64_t)n->val);
	if (!n->negative)
		return compare_unsigned(field, n->op, n->val);
	if ((int64_t)n->val >= INT32_MIN)
		return compare_signed((int32_t)field, n->op, (int64_t)n->val);
	return compare_signed((int64_t)field, n->op, (int64_t)n->val);
}

static bool evaluate(const struct node *n, const struct event *e)
{
	switch (n->kind) {
	case NODE_AND:
		return evaluate(n->left, e) && evaluate(n->right, e);
	case NODE_OR:
		return evaluate(n->left, e) || evaluate(n->right, e);
	case NODE_NOT:
		return !evaluate(n->left, e);
	case NODE_BITS:
		return e->fields[n->field] & n->mask;
	case NODE_MASKED:
		return compare_unsigned(e->fields[n->field] & n->mask, n->op, n->val);
	case NODE_COMM:
		return !strcmp(e->comm, n->comm) == (n->op == EQ);
	case NODE_COMPARE:
		break;
	}
	return compare_field(n, e->fields[n->field]);
}

/* With the blanks that are needed, or more of them. */
static const char *blank(void)
{
	return below(2) ? " " : "";
}

static void put_value(FILE *f, const struct node *n)
{
	if (n->negative && below(2))
		fprintf(f, "-0x%llx", -(unsigned long long)n->val);
	else if (n->negative)
		fprintf(f, "-%llu", -(unsigned long long)n->val);
	else
		fprintf(f, below(2) ? "%llu" : below(2) ? "0x%llx" : "0%llo", (unsigned long long)n->val);
	if (n->field == AUXBPF_FIELD_LATENCY && n->kind == NODE_COMPARE)
		fputs("ns", f);
}

static void put_leaf(FILE *f, const struct node *n)
{
	if (n->kind == NODE_COMM) {
		fprintf(f, "comm%s%s%s%s", blank(), op_texts[n->op], blank(), n->comm);
		return;
	}
	if (n->kind == NODE_COMPARE) {
		fprintf(f, "%s%s%s%s", field_name(n->field), blank(), op_texts[n->op], blank());
		put_value(f, n);
		return;
	}
	if (n->kind == NODE_MASKED)
		fprintf(f, "(%s", blank());
	fprintf(f, "%s%s&%s0x%llx", field_name(n->field), blank(), blank(), (unsigned long long)n->mask);
	if (n->kind == NODE_MASKED) {
		fprintf(f, "%s)%s%s", blank(), blank(), op_texts[n->op]);
		put_value(f, n);
	}
}

/* Parentheses where they are needed, and sometimes where they are not. */
static void put_tree(FILE *f, const struct node *n, enum node_kind outer)
{
	bool leaf = n->kind > NODE_NOT;
	bool needed = outer == NODE_NOT || (outer == NODE_AND && n->kind == NODE_OR);
	bool parentheses = needed || (n->kind != NODE_BITS && below(6) == 0);

	if (parentheses)
		fprintf(f, "(%s", blank());
	if (leaf) {
		put_leaf(f, n);
	} else if (n->kind == NODE_NOT) {
		fprintf(f, "!%s", blank());
		put_tree(f, n->left, NODE_NOT);
	} else {
		put_tree(f, n->left, n->kind);
		fprintf(f, "%s%s%s", blank(), n->kind == NODE_AND ? "&&" : "||", blank());
		put_tree(f, n->right, n->kind);
	}
	if (parentheses)
		fprintf(f, "%s)", blank());
}

static __u64 read_field(void *arg, __u32 field)
{
	const struct event *e = arg;

	return e->fields[field];
}

static void make_event(struct event *e)
{
	memset(e, 0, sizeof(*e));
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		e->fields[fields[i].field] = any_value(is_raw(fields[i].field) ? UINT64_MAX : fields[i].max);
	e->fields[AUXBPF_FIELD_EXTRA3] = (__u64)(__s32)any_value(UINT64_MAX);
	strcpy(e->comm, comms[below(ARRAY_SIZE(comms))]);
	memcpy(&e->fields[AUXBPF_FIELD_COMM_LOW], e->comm, 8);
	memcpy(&e->fields[AUXBPF_FIELD_COMM_HIGH], e->comm + 8, 8);
}

/* A field that the language does not know: an int. */
static int find_error(void *arg, const char *name, const struct condition_field **ret, char *why, size_t size)
{
	static const struct condition_field error = {
		.name = "error",
		.field = AUXBPF_FIELD_EXTRA3,
		.kinds = CONDITION_NUMBER,
		.wants = "a number",
		.max = INT32_MAX,
		.has_bits = true,
		.is_signed = true,
	};

	*ret = &error;
	return strcmp(name, "error") ? -ENOENT : 0;
}

static void offer_nothing(void *arg, struct nearest *near, const char *wanted)
{
}

static void list_nothing(void *arg, char *text, size_t size)
{
	*text = '\0';
}

static const struct condition_event_fields event_fields = {
	.find = find_error,
	.offer = offer_nothing,
	.list = list_nothing,
};

static const struct condition_opts opts = {
	.fields = CONDITION_FIELDS_ARGS | CONDITION_FIELDS_TASK | CONDITION_FIELDS_RESULT |
		  CONDITION_FIELD(AUXBPF_FIELD_SIG),
	.moment = "here",
	.event = &event_fields,
};

/* Every way out of a test leads to a later test, and no test is left over. */
static bool is_well_formed(const struct auxbpf_condition *rule)
{
	uint32_t reached = 1;

	for (uint32_t i = 0; i < rule->nr_tests; i++) {
		const uint8_t next[] = {rule->tests[i].if_true, rule->tests[i].if_false};

		for (size_t j = 0; j < ARRAY_SIZE(next); j++) {
			if (next[j] >= AUXBPF_CONDITION_TRUE)
				continue;
			if (next[j] <= i || next[j] >= rule->nr_tests)
				return false;
			reached |= 1u << next[j];
		}
	}
	return rule->nr_tests && reached == UINT32_MAX >> (32 - rule->nr_tests);
}

struct tally {
	unsigned int compiled, too_long, held, differ;
};

static void check_tree(const struct node *tree, const char *text, struct tally *tally)
{
	char message[RULE_MESSAGE_SIZE] = "";
	struct auxbpf_condition rule;
	struct event event;

	if (condition__parse_rest(text, 0, &opts, &rule, message, sizeof(message))) {
		tally->too_long++;
		if (!CHECK(strstr(message, "too long")))
			fprintf(stderr, "%s\n", message);
		return;
	}
	tally->compiled++;
	CHECK(is_well_formed(&rule));
	for (int i = 0; i < 16; i++) {
		bool want;

		make_event(&event);
		want = evaluate(tree, &event);
		tally->held += want;
		if (auxbpf_condition__eval(&rule, rule.nr_tests, read_field, &event) == want)
			continue;
		if (!tally->differ++)
			fprintf(stderr, "differs, expected %d: %s\n", want, text);
	}
}

static void test_trees(void)
{
	struct node nodes[MAX_NODES];
	struct tally tally = {0};
	char text[8192];

	srand(1);
	for (int round = 0; round < ROUNDS; round++) {
		FILE *f = fmemopen(text, sizeof(text), "w");
		struct node *pool = nodes;
		const struct node *tree = make_tree(&pool, below(7));

		if (!f)
			abort();
		put_tree(f, tree, NODE_OR);
		fclose(f);
		check_tree(tree, text, &tally);
	}
	CHECK_EQ(tally.differ, 0);
	CHECK(tally.compiled > ROUNDS * 9 / 10);
	CHECK(tally.too_long > 0);
	CHECK(tally.held > ROUNDS * 2 && tally.held < ROUNDS * 14);
}

static void check_text(const char *text, unsigned int *good)
{
	char message[RULE_MESSAGE_SIZE] = "";
	struct auxbpf_condition rule;
	int err = condition__parse_rest(text, 0, &opts, &rule, message, sizeof(message));

	if (!err) {
		*good += 1;
		CHECK(is_well_formed(&rule));
		CHECK(!*message);
	} else if (!CHECK(err == -EINVAL && strchr(message, '\n') && strchr(message, '^'))) {
		fprintf(stderr, "%s\n%s\n", text, message);
	}
}

/* Words of the language in any order. */
static void test_word_soup(void)
{
	static const char *const words[] = {
		"arg0", "ret", "latency", "uid",  "comm",    "cgroup", "==",	   "<",
		"&",	"&&",  "||",	  "!",	  "(",	     ")",      "|",	   "-",
		"1",	"0x7", "4k",	  "10ms", "O_CREAT", "ENOENT", "x",	   "'a b'",
		"\"",	"=",   ",",	  "~",	  "\\",	     " ",      "uid == 1",
	};
	unsigned int good = 0;
	char text[512];

	for (int round = 0; round < ROUNDS; round++) {
		*text = '\0';
		for (unsigned int i = below(12); i > 0; i--) {
			strcat(text, words[below(ARRAY_SIZE(words))]);
			strcat(text, blank());
		}
		check_text(text, &good);
	}
	CHECK(good > 10);
}

/* A good condition with some bytes that are others. */
static void test_damaged(void)
{
	static const char begin[] =
		"(arg2 & O_CREAT|0x3) == O_CREAT && !(comm == 'a b' || ret > -ENOENT) && uid <= 10";
	unsigned int good = 0;
	char text[sizeof(begin)];

	for (int round = 0; round < ROUNDS; round++) {
		memcpy(text, begin, sizeof(begin));
		for (unsigned int i = below(3); i > 0; i--)
			text[below(sizeof(begin) - 1)] = (char)below(256);
		check_text(text, &good);
	}
	CHECK(good > 10);
}

int main(void)
{
	test_trees();
	test_word_soup();
	test_damaged();
	return check__done();
}
