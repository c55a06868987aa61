// SPDX-License-Identifier: GPL-2.0-only
#include "check.h"
#include "report/comparison.h"
#include "tree_text.h"

struct run {
	struct call_names names;
	struct path_table paths;
	struct tree_text here, typical;
	struct call_profile here_profile, typical_profile;
	struct parting parting;
	struct cause *causes;
	struct window window, other;
	struct typical_windows others;
	struct comparison comparison;
};

static void begin(struct run *r, const char *here, const char *typical)
{
	static char name[] = "read", comm[] = "a";
	struct comparison *c = &r->comparison;

	*r = (struct run){0};
	tree_text__make(&r->here, &r->names, here);
	tree_text__make(&r->typical, &r->names, typical);
	CHECK_EQ(call_profile__fold(&r->here_profile, &r->paths, &r->here.window), 0);
	CHECK_EQ(call_profile__fold(&r->typical_profile, &r->paths, &r->typical.window), 0);
	r->window = (struct window){.number = 7, .name = name, .comm = comm, .is_over = true, .end = 3000};
	r->other = (struct window){.number = 3, .name = name, .comm = comm, .is_over = true, .end = 1000};
	r->others = (struct typical_windows){.name = name, .nr = 9, .median = 1000};
	*c = (struct comparison){.window = &r->window,
				 .typical = &r->other,
				 .others = &r->others,
				 .nr_typical = 5,
				 .names = &r->names,
				 .paths = &r->paths,
				 .here_calls = &r->here.window,
				 .typical_calls = &r->typical.window};
	if (call_parting__find(&r->here.window, &r->typical.window, &r->parting) == 1)
		c->parting = &r->parting;
	CHECK_EQ(profile_diff__list(&r->paths, &r->here_profile, &r->typical_profile, &r->causes,
				    &c->nr_causes),
		 0);
	c->causes = r->causes;
	c->difference = (int64_t)(r->here_profile.values[0].total - r->typical_profile.values[0].total);
}

static void end(struct run *r)
{
	free(r->causes);
	call_profile__release(&r->here_profile);
	call_profile__release(&r->typical_profile);
	tree_text__release(&r->here);
	tree_text__release(&r->typical);
	path_table__release(&r->paths);
	call_names__release(&r->names);
}

/* Checks that what is printed has this text. */
static void check_width(const struct run *r, size_t width, const char *want)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!CHECK(to))
		return;
	CHECK_EQ(comparison__print(to, &r->comparison, width), 0);
	CHECK(!fclose(to));
	if (!CHECK(strstr(text, want)))
		fprintf(stderr, "not in it: %s\n%s", want, text);
}

static void check_text(const struct run *r, const char *want)
{
	check_width(r, 0, want);
}

static void check_path(const struct run *r, const char *way, size_t width, const char *want)
{
	_cleanup_free_ char *text =
		comparison__path(&r->comparison, tree_text__path(&r->paths, &r->names, way), width);

	if (CHECK(text))
		CHECK_STREQ(text, want);
}

static void test_paths(void)
{
	struct run r;

	begin(&r, "a(b(c(d(e(f)))))", "");
	check_path(&r, "abcde", 0, "a > b > c > d > e");
	check_path(&r, "abcde", 17, "a > b > c > d > e");
	check_path(&r, "abcde", 16, "a > ... > d > e");
	check_path(&r, "abcde", 14, "a > ... > e");
	check_path(&r, "abcdef", 20, "a > b > ... > e > f");
	/* The ends are never left out, and there is nothing between two. */
	check_path(&r, "abcde", 1, "a > ... > e");
	check_path(&r, "ab", 1, "a > b");
	check_path(&r, "a", 1, "a");
	check_path(&r, "", 9, "(outside of these calls)");
	end(&r);
}

static void test_text(void)
{
	struct run r;

	begin(&r, "a1(b1 c1000 c1000(d2) x1 e1 f1 f1 h1 g1) k3", "a1(b1 g1) k3");
	check_text(
		&r,
		"# window 7: read, a 0/0, CPU 0, at 0.000000000, 3.000 us\n"
		"# 3.0 times the median of 9 others, 1.000 us; typical are 5 of them, as window 3, 1.000 us\n"
		"\n"
		"The paths part in a(), behind b().\n"
		"  here:     c() 2 times, x(), e() and 3 more, then g()\n"
		"  typical:  g()\n");
	check_text(
		&r,
		"        +2.002          2.002          0.000   99.8%  only here         a > c\n"
		"        +0.005                                  0.2%  the rest          4 smaller ones\n");
	end(&r);
	begin(&r, "A1(B1 B1 B1 B1 B1 B1)", "A1(B1)");
	check_text(&r, "  here:     B() 5 times, then the return\n  typical:  the return\n");
	check_text(&r, "100.0%  5 calls more      A > B\n");
	end(&r);
	begin(&r, "A4(B1(-50))", "A5(B1)");
	check_text(&r, "in B(), at the begin.\n  here:     (off the CPU), then the return\n");
	check_text(&r, "not traced        A > B > (off the CPU)\n");
	check_width(&r, 93, "not traced        A > B > (off the CPU)\n");
	/* On a line of its own, and shortened to that. */
	check_width(&r, 92, "not traced      \n        A > B > (off the CPU)\n");
	check_width(&r, 28, "not traced      \n        A > ... > (off the CPU)\n");
	check_text(&r, "        -0.001          0.004          0.005   -2.0%  itself            A\n");
	end(&r);
	begin(&r, "a b", "a");
	check_text(&r, "The paths part, behind a().\n  here:     b(), then the end\n  typical:  the end\n");
	end(&r);
	begin(&r, "a2", "a1");
	check_text(&r, "The paths do not part: the calls are the same.\n");
	end(&r);
}

int main(void)
{
	test_paths();
	test_text();
	return check__done();
}
