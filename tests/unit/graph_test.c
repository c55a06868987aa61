// SPDX-License-Identifier: GPL-2.0-only
/* The calls as lines of text. Trees are made of text (tree_text.h). */
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
	function_names__release(&names.functions);
	call_names__release(&names.calls);
	return check__done();
}
