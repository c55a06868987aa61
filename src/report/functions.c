// SPDX-License-Identifier: GPL-2.0-only
#include "report/functions.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>

#include "report/json_line.h"

struct row {
	const struct function *function;
	const struct function_stat *stat;
	uint64_t key; /* what rows are sorted by */
};

static uint64_t get_calls(const struct function_stat *stat)
{
	return stat->calls;
}

static uint64_t get_total(const struct function_stat *stat)
{
	return stat->total;
}

static uint64_t get_self(const struct function_stat *stat)
{
	return stat->self;
}

static uint64_t get_p50(const struct function_stat *stat)
{
	return histogram__permille(stat->durations, 500);
}

static uint64_t get_p90(const struct function_stat *stat)
{
	return histogram__permille(stat->durations, 900);
}

static uint64_t get_p99(const struct function_stat *stat)
{
	return histogram__permille(stat->durations, 990);
}

static uint64_t get_max(const struct function_stat *stat)
{
	return stat->durations->max;
}

static const struct column {
	const char *name;
	uint64_t (*get)(const struct function_stat *stat);
	bool is_time;
} columns[] = {
	{"calls", get_calls, false}, {"total", get_total, true}, {"self", get_self, true},
	{"p50", get_p50, true},	     {"p90", get_p90, true},	 {"p99", get_p99, true},
	{"max", get_max, true},
};

static const struct column *find_column(const char *name)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		if (!strcmp(columns[i].name, name))
			return &columns[i];
	}
	return NULL;
}

bool functions__is_column(const char *name)
{
	return find_column(name);
}

const char *functions__columns(void)
{
	return "calls total self p50 p90 p99 max";
}

/* The largest first; functions of one size by their names, so that the order does not change. */
static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? 1 : -1;
	return strcmp(x->function->name, y->function->name);
}

static size_t list_rows(const struct function_stats *stats, const struct functions_opts *opts,
			struct row *rows)
{
	const struct column *sort = find_column(opts->sort ? opts->sort : "total");
	size_t nr = 0;

	for (function_id id = 0; id < stats->nr; id++) {
		const struct function_stat *stat = &stats->stats[id];
		const struct function *function = function_names__get(stats->names, id);

		if (!stat->calls || (opts->symbol && fnmatch(opts->symbol, function->name, 0)))
			continue;
		rows[nr++] = (struct row){.function = function, .stat = stat, .key = sort->get(stat)};
	}
	qsort(rows, nr, sizeof(*rows), compare);
	return nr;
}

static void print_head(FILE *to)
{
	fputs("#", to);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		fprintf(to, " %*s%s", columns[i].is_time ? 9 : 8, columns[i].name,
			columns[i].is_time ? " us" : "");
	fputs("  function\n", to);
}

static void print_row(FILE *to, const struct row *row)
{
	fputc(' ', to);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		uint64_t value = columns[i].get(row->stat);

		if (columns[i].is_time)
			fprintf(to, " %8" PRIu64 ".%03" PRIu64, value / 1000, value % 1000);
		else
			fprintf(to, " %8" PRIu64, value);
	}
	fprintf(to, "  %s", row->function->name);
	if (*row->function->object && *row->function->object != '[')
		fprintf(to, " (%s)", row->function->object);
	fputc('\n', to);
}

static int print_row_json(FILE *to, const struct row *row)
{
	struct json_object *object = json_object_new_object();

	json__add_text(object, "function", row->function->name);
	json__add_text(object, "object", row->function->object);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		char key[16];

		snprintf(key, sizeof(key), "%s%s", columns[i].name, columns[i].is_time ? "_ns" : "");
		json__add_u64(object, key, columns[i].get(row->stat));
	}
	return json_line__print(to, object);
}

int functions__print(FILE *to, const struct function_stats *stats, const struct functions_opts *opts,
		     bool json)
{
	_cleanup_free_ struct row *rows = calloc(stats->nr + 1, sizeof(*rows));
	int err = 0;
	size_t nr;

	if (!rows)
		return -ENOMEM;
	nr = list_rows(stats, opts, rows);
	if (!json)
		print_head(to);
	for (size_t i = 0; !err && i < nr; i++) {
		if (json)
			err = print_row_json(to, &rows[i]);
		else
			print_row(to, &rows[i]);
	}
	return err;
}
