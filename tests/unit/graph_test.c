// SPDX-License-Identifier: GPL-2.0-only
/* The calls as lines of text. Trees are made of text (tree_text.h). */
#include "calls/inlined_calls.h"
#include "calls/off_cpu.h"
#include "report/graph.h"
#include "tree_text.h"

struct names {
	struct function_names functions;
	struct call_names calls;
};

/* Each function has the name of its letter. */
static void make_names(struct names *names)
{
	*names = (struct names){0};
	for (function_id id = 1; id <= 'z'; id++) {
		const char name[] = {(char)id, 0};

		CHECK_EQ(function_names__add(&names->functions, id, name, ""), 0);
	}
}

/* Prints the tree, in which the task was off the CPU from 3000 to 2503000 ns. */
static void check(struct names *names, const char *calls, const struct graph_opts *opts, const char *want)
{
	const struct task_switch out = {.time = 3000, .tid = 7, .cpu = 0, .is_out = true},
				 in = {.time = 2503000, .tid = 7, .cpu = 3};
	_cleanup_free_ char *got = NULL;
	struct off_times off = {0};
	struct tree_text t;
	size_t size;
	FILE *to = open_memstream(&got, &size);

	tree_text__make(&t, &names->calls, calls);
	CHECK_EQ(off_times__switch(&off, &out), 0);
	CHECK_EQ(off_times__switch(&off, &in), 0);
	CHECK_EQ(off_times__mark(&off, &t.tree, false), 0);
	graph__print(to, &t.tree, &names->functions, opts);
	fclose(to);
	CHECK_STREQ(got, want);
	off_times__release(&off);
	tree_text__release(&t);
}

/* Call sites: 1 has a line, 2 is in x, which was inlined, 3 has none. */
static void make_sites(struct call_sites *sites)
{
	inlined_id x;

	*sites = (struct call_sites){0};
	for (site_id id = 1; id <= 3; id++)
		CHECK_EQ(call_sites__add(sites, id, &(struct call_site){0}), 0);
	CHECK_EQ(call_sites__add_inlined(sites, 'x', "/src/main.c", 43, 0, &x), 0);
	CHECK_EQ(call_sites__set_place(sites, 1, "/src/main.c", 42, 0), 0);
	CHECK_EQ(call_sites__set_place(sites, 2, "x.h", 7, x), 0);
}

/* Prints a tree with source lines: b is called from site 1, c and what was jumped to from site 2, d from site 3. */
static void test_lines(struct names *names)
{
	static const site_id from[] = {['b'] = 1, ['c'] = 2, ['e'] = 2, ['d'] = 3, ['z'] = 0};
	_cleanup_free_ char *got = NULL;
	struct call_sites sites;
	struct tree_text t;
	size_t size;
	FILE *to = open_memstream(&got, &size);

	make_sites(&sites);
	tree_text__make(&t, &names->calls, "a1000(b2000 c3000 >e4000(d1000))");
	for (struct call *c = call_tree__next(&t.tree.root); c; c = call_tree__next(c))
		c->from_site = from[c->function];
	CHECK_EQ(inlined_calls__insert(&t.tree, &sites), 0);
	graph__print(to, &t.tree, &names->functions, &(struct graph_opts){.sites = &sites});
	fclose(to);
	CHECK_STREQ(got, "  0)                |  a() {\n"
			 "  0)      2.000 us  |    b(); /* main.c:42 */\n"
			 "  0)                |    x() { /* inlined, main.c:43 */\n"
			 "  0)      3.000 us  |      c(); /* x.h:7 */\n"
			 "  0)                |      e() { /* jumped to, x.h:7 */\n"
			 "  0)      1.000 us  |        d();\n"
			 "  0)      5.000 us  |      } /* e */\n"
			 "  0)      8.000 us  |    } /* x */\n"
			 "  0) +   11.000 us  |  } /* a */\n");
	tree_text__release(&t);
	call_sites__release(&sites);
}

int main(void)
{
	const struct graph_opts plain = {0}, color = {.color = true};
	struct names names;

	make_names(&names);
	check(&names, "a1500(K25000 %I150000)", &plain,
	      "  0)                |  a() {\n"
	      "  0) +   25.000 us  |    K();\n"
	      "  0)                |   ==========> |\n"
	      "  0) !  150.000 us  |    I();\n"
	      "  0)                |   <========== |\n"
	      "  0) !  176.500 us  |  } /* a */\n");
	/* Off the CPU while the trace went on, and while it did not. */
	check(&names, "A1000(B2600000)", &plain,
	      "  0)                |  A() {\n"
	      "  0)                |    B() {\n"
	      "  0)                |      /* off the CPU 2.500 ms, then on CPU 3 */\n"
	      "  0) # 2600.000 us  |    } /* B */\n"
	      "  0) # 2601.000 us  |  } /* A */\n");
	check(&names, "A1000(-2600000)", &plain,
	      "  0)                |  A() {\n"
	      "  0) # 2600.000 us  |    /* not traced */\n"
	      "  0)                |    /* off the CPU 2.500 ms, then on CPU 3 */\n"
	      "  0) # 2601.000 us  |  } /* A */\n");
	/* Only what is marked is coloured, and the names of user mode. */
	check(&names, "a500(K25000 L150000 M1500000 N500)", &color,
	      "  0)                |  \033[36ma\033[m() {\n"
	      "  0) \033[33m+   25.000 us \033[m |    K();\n"
	      "  0) \033[31m!  150.000 us \033[m |    L();\n"
	      "  0)                |    M() {\n"
	      "  0)                |      \033[2m/* off the CPU 2.500 ms, then on CPU 3 */\033[m\n"
	      "  0) \033[1;31m# 1500.000 us \033[m |    } /* M */\n"
	      "  0)      0.500 us  |    N();\n"
	      "  0) \033[1;31m# 1676.000 us \033[m |  } /* \033[36ma\033[m */\n");
	test_lines(&names);
	function_names__release(&names.functions);
	call_names__release(&names.calls);
	return check__done();
}
