// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "decode_text.h"
#include "mapped_file.h"

/* More than any machine of these tests has; a larger number is a misread line. */
#define MAX_CPUS 4096

struct branches {
	struct decoded_branch *branch;
	uint64_t nr;
	uint64_t cap;
};

struct decode_text {
	struct branches *cpus;
	unsigned int nr_cpus;
	uint64_t nr_errors;
	char *first_error;
};

static int branches__add(struct branches *b, struct decoded_branch branch)
{
	if (b->nr == b->cap) {
		uint64_t cap = b->cap ? 2 * b->cap : 4096;
		struct decoded_branch *mem = realloc(b->branch, cap * sizeof(*mem));

		if (!mem)
			return -ENOMEM;
		b->branch = mem;
		b->cap = cap;
	}
	b->branch[b->nr++] = branch;
	return 0;
}

static int decode_text__add(struct decode_text *text, unsigned int cpu, struct decoded_branch branch)
{
	if (cpu >= text->nr_cpus) {
		struct branches *cpus = realloc(text->cpus, (cpu + 1) * sizeof(*cpus));

		if (!cpus)
			return -ENOMEM;
		memset(cpus + text->nr_cpus, 0, (cpu + 1 - text->nr_cpus) * sizeof(*cpus));
		text->cpus = cpus;
		text->nr_cpus = cpu + 1;
	}
	return branches__add(&text->cpus[cpu], branch);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads a hexadecimal number that ends at a space or @end. */
static bool parse_hex(const char *p, const char *end, uint64_t *ret)
{
	const char *start = p;

	for (*ret = 0; p < end && hex_digit(*p) >= 0; p++)
		*ret = *ret << 4 | (uint64_t)hex_digit(*p);
	return p > start && p - start <= 16 && (p == end || *p == ' ');
}

/* "[012]" as the first such word of the line. */
static bool parse_cpu(const char *p, const char *end, unsigned int *cpu)
{
	for (; p < end; p++) {
		unsigned int val = 0;
		const char *digit = p + 1;

		if (*p != '[')
			continue;
		while (digit < end && isdigit((unsigned char)*digit) && val < MAX_CPUS)
			val = val * 10 + (unsigned int)(*digit++ - '0');
		*cpu = val;
		return digit < end && digit > p + 1 && *digit == ']' && val < MAX_CPUS;
	}
	return false;
}

/* "... FROM => TO" */
static bool parse_branch(const char *p, const char *end, struct decoded_branch *branch)
{
	const char *arrow = memmem(p, (size_t)(end - p), " => ", 4);
	const char *from = arrow, *to;

	if (!arrow)
		return false;
	while (from > p && from[-1] != ' ')
		from--;
	for (to = arrow + 4; to < end && *to == ' ';)
		to++;
	return parse_hex(from, arrow, &branch->from) && parse_hex(to, end, &branch->to);
}

/* A word "NAME:" that begins with a letter and is not the decoder's event "branches", "branches:k". */
static bool is_other_event(const char *p, const char *end)
{
	while (p < end) {
		const char *word = p;

		while (p < end && *p != ' ')
			p++;
		if (p > word && p[-1] == ':' && isalpha((unsigned char)*word))
			return p - word < 8 || memcmp(word, "branches", 8) != 0;
		while (p < end && *p == ' ')
			p++;
	}
	return false;
}

/* perf's own samples of errors; and OpenCSD's complaints, which perf prints as they come. */
static bool is_decoder_error(const char *p, const char *end)
{
	static const char sample[] = "instruction trace error", complaint[] = "OCSD_ERR_";
	size_t size = (size_t)(end - p);

	return memmem(p, size, sample, sizeof(sample) - 1) ||
	       memmem(p, size, complaint, sizeof(complaint) - 1);
}

static int decode_text__error(struct decode_text *text, const char *line, const char *end)
{
	if (!text->nr_errors++)
		text->first_error = strndup(line, (size_t)(end - line));
	return text->first_error ? 0 : -ENOMEM;
}

static int decode_text__line(struct decode_text *text, const char *line, const char *end)
{
	struct decoded_branch branch;
	unsigned int cpu;

	while (line < end && *line == ' ')
		line++;
	while (end > line && end[-1] == ' ')
		end--;
	if (line == end || *line == '#')
		return 0;
	if (parse_cpu(line, end, &cpu)) {
		if (is_other_event(line, end))
			return 0;
		if (parse_branch(line, end, &branch))
			return decode_text__add(text, cpu, branch);
	}
	if (is_decoder_error(line, end))
		return decode_text__error(text, line, end);
	return -EINVAL;
}

static int decode_text__parse(struct decode_text *text, const struct mapped_file *file, const char *path)
{
	const char *line = file->data, *end = line + file->size;
	uint64_t nr = 1;

	for (; line < end; nr++) {
		const char *eol = memchr(line, '\n', (size_t)(end - line));
		int err = decode_text__line(text, line, eol ? eol : end);

		if (err == -EINVAL)
			fprintf(stderr, "oracle-check: %s:%lu: not a branch: %.*s\n", path, (unsigned long)nr,
				(int)((eol ? eol : end) - line), line);
		if (err)
			return err;
		line = eol ? eol + 1 : end;
	}
	return 0;
}

int decode_text__load(const char *path, struct decode_text **ret)
{
	_cleanup_decode_text_ struct decode_text *text = calloc(1, sizeof(*text));
	_cleanup_mapped_file_ struct mapped_file file = {0};
	int err;

	if (!text)
		return -ENOMEM;
	err = mapped_file__open(&file, path);
	if (!err)
		err = decode_text__parse(text, &file, path);
	if (!err)
		*ret = steal_ptr(text);
	return err;
}

void decode_text__free(struct decode_text *text)
{
	if (!text)
		return;
	for (unsigned int cpu = 0; cpu < text->nr_cpus; cpu++)
		free(text->cpus[cpu].branch);
	free(text->cpus);
	free(text->first_error);
	free(text);
}

static void branches__drop(struct branches *b, bool (*is_dropped)(uint64_t from, uint64_t to))
{
	uint64_t kept = 0;

	for (uint64_t i = 0; i < b->nr; i++)
		if (!is_dropped(b->branch[i].from, b->branch[i].to))
			b->branch[kept++] = b->branch[i];
	b->nr = kept;
}

void decode_text__drop(struct decode_text *text, bool (*is_dropped)(uint64_t from, uint64_t to))
{
	for (unsigned int cpu = 0; cpu < text->nr_cpus; cpu++)
		branches__drop(&text->cpus[cpu], is_dropped);
}

unsigned int decode_text__nr_cpus(const struct decode_text *text)
{
	return text->nr_cpus;
}

const struct decoded_branch *decode_text__branches(const struct decode_text *text, unsigned int cpu,
						   uint64_t *nr)
{
	*nr = cpu < text->nr_cpus ? text->cpus[cpu].nr : 0;
	return *nr ? text->cpus[cpu].branch : NULL;
}

uint64_t decode_text__nr_errors(const struct decode_text *text)
{
	return text->nr_errors;
}

const char *decode_text__first_error(const struct decode_text *text)
{
	return text->first_error;
}
