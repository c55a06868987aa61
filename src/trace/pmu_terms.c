// SPDX-License-Identifier: GPL-2.0-only
#include "trace/pmu_terms.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/path.h"
#include "trace/pmu_list.h"

#define DEVICES "/sys/bus/event_source/devices"

/* Returns the number of the config word that a format is about, 0 to 3, and where its bit ranges begin. */
static int format_word(const char *format, const char **ranges)
{
	static const char *const words[] = {"config:", "config1:", "config2:", "config3:"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strncmp(format, words[i], strlen(words[i])))
			continue;
		*ranges = format + strlen(words[i]);
		return (int)i;
	}
	return -EINVAL;
}

/* Reads the bits of @ranges, in the order in which the value's bits go there, and returns how many they
 * are. */
static int format_bits(const char *ranges, int bits[64])
{
	int n = parse__cpu_list(ranges, bits, 64);

	if (n < 1 || n > 64)
		return -EINVAL;
	for (int i = 0; i < n; i++) {
		if (bits[i] > 63)
			return -EINVAL;
	}
	return n;
}

int pmu_format__set(const char *format, uint64_t value, struct pmu_config *config)
{
	const char *ranges;
	int bits[64], n, word = format_word(format, &ranges);

	if (word < 0)
		return word;
	n = format_bits(ranges, bits);
	if (n < 0)
		return n;
	if (n < 64 && value >> n)
		return -ERANGE;
	for (int i = 0; i < n; i++) {
		config->config[word] &= ~(1ull << bits[i]);
		config->config[word] |= (value >> i & 1) << bits[i];
	}
	return 0;
}

uint64_t pmu_format__mask(const char *format)
{
	const char *ranges;
	uint64_t mask = 0;
	int bits[64], n;

	if (format_word(format, &ranges) != 0)
		return 0;
	n = format_bits(ranges, bits);
	for (int i = 0; i < n; i++)
		mask |= 1ull << bits[i];
	return mask;
}

uint64_t pmu_format__get(const char *format, const struct pmu_config *config)
{
	const char *ranges;
	uint64_t value = 0;
	int bits[64], n, word = format_word(format, &ranges);

	if (word < 0)
		return 0;
	n = format_bits(ranges, bits);
	for (int i = 0; i < n; i++)
		value |= (config->config[word] >> bits[i] & 1) << i;
	return value;
}

static void log_unknown_term(const char *root, const char *pmu, const char *name)
{
	_cleanup_(pmu_files__release) struct pmu_files terms = {0};
	char known[512] = "";

	/* Without memory the list is short. */
	(void)!pmu_list__files(root, pmu, "format", &terms);
	for (size_t i = 0; i < terms.nr; i++) {
		size_t len = strlen(known);

		snprintf(known + len, sizeof(known) - len, " %s", terms.items[i].name);
	}
	log_err("%s has no term '%s'; it has:%s", pmu, name, known);
}

/* Makes the format of config, config1, config2 and config3, which are terms of every PMU, as in perf. */
static int raw_config(const char *name, char *format, size_t size)
{
	if (strcmp(name, "config") && strcmp(name, "config1") && strcmp(name, "config2") &&
	    strcmp(name, "config3"))
		return -ENOENT;
	snprintf(format, size, "%s:0-63", name);
	return 0;
}

/* Sets the term @name to the value in another file of the PMU: "sinks/trbe0" has one of sinkid. */
static int set_from_file(const char *root, const char *pmu, const char *name, const char *file,
			 struct pmu_config *config)
{
	char format[64];
	uint64_t value;
	int err = path__read_u64(root, &value, DEVICES "/%s/%s", pmu, file);

	if (!err && path__read(root, format, sizeof(format), DEVICES "/%s/format/%s", pmu, name) < 0)
		err = -ENOENT;
	return err ? err : pmu_format__set(format, value, config);
}

/* Parses "@trbe0", the sink that the trace goes to, as perf has it
 * (tools/perf/Documentation/perf-record.txt). */
static int parse_sink(const char *root, const char *pmu, const char *sink, struct pmu_config *config)
{
	_cleanup_(pmu_files__release) struct pmu_files sinks = {0};
	char file[80], known[512] = "";

	snprintf(file, sizeof(file), "sinks/%s", sink);
	if (!strchr(sink, '/') && *sink != '.' && !set_from_file(root, pmu, "sinkid", file, config))
		return 0;
	/* Without memory the list is short. */
	(void)!pmu_list__files(root, pmu, "sinks", &sinks);
	for (size_t i = 0; i < sinks.nr; i++) {
		size_t len = strlen(known);

		snprintf(known + len, sizeof(known) - len, " %s", sinks.items[i].name);
	}
	log_err("%s has no sink '%s'; it has:%s", pmu, sink, *known ? known : " none");
	return -EINVAL;
}

/* Parses terms; with @names also names that stand for terms. */
static int parse_terms(const char *root, const char *pmu, const char *terms, bool names,
		       struct pmu_config *config);

/*
 * Parses a name in the PMU's directory of events, which stands for terms: those of cs_etm are configurations,
 * such as autofdo. 0, a negative errno (logged), or 1 if there is no such name.
 */
static int parse_name(const char *root, const char *pmu, const char *name, struct pmu_config *config)
{
	char terms[128];

	if (strchr(name, '/') || *name == '.' ||
	    path__read(root, terms, sizeof(terms), DEVICES "/%s/events/%s", pmu, name) < 0)
		return 1;
	terms[strcspn(terms, "\n")] = '\0';
	return parse_terms(root, pmu, terms, false, config);
}

static int parse_number_term(const char *root, const char *pmu, char *term, struct pmu_config *config)
{
	char *value_text = strchr(term, '=');
	uint64_t value = 1;
	char format[64];
	int err;

	if (value_text)
		*value_text++ = '\0';
	if (value_text && parse__u64(value_text, &value)) {
		log_err("%s: the value of '%s' is not a number: '%s'", pmu, term, value_text);
		return -EINVAL;
	}
	if (strchr(term, '/') || *term == '.' ||
	    (raw_config(term, format, sizeof(format)) &&
	     path__read(root, format, sizeof(format), DEVICES "/%s/format/%s", pmu, term) < 0)) {
		log_unknown_term(root, pmu, term);
		return -EINVAL;
	}
	err = pmu_format__set(format, value, config);
	if (err)
		log_err("%s: %s=%llu does not fit its bits (%s)", pmu, term, (unsigned long long)value,
			format);
	return err ? -EINVAL : 0;
}

static int parse_term(const char *root, const char *pmu, char *term, bool names, struct pmu_config *config)
{
	int err;

	if (*term == '@')
		return parse_sink(root, pmu, term + 1, config);
	err = strchr(term, '=') || !names ? 1 : parse_name(root, pmu, term, config);
	return err <= 0 ? err : parse_number_term(root, pmu, term, config);
}

static int parse_terms(const char *root, const char *pmu, const char *terms, bool names,
		       struct pmu_config *config)
{
	_cleanup_free_ char *copy = strdup(terms);
	char *save = NULL;
	int err;

	if (!copy)
		return -ENOMEM;
	for (char *term = strtok_r(copy, ",", &save); term; term = strtok_r(NULL, ",", &save)) {
		err = parse_term(root, pmu, term, names, config);
		if (err)
			return err;
	}
	return 0;
}

int pmu_terms__parse(const char *root, const char *pmu, const char *terms, struct pmu_config *config)
{
	return parse_terms(root, pmu, terms, true, config);
}
