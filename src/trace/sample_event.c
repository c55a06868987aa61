// SPDX-License-Identifier: GPL-2.0-only
#include "trace/sample_event.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <string.h>

#include "base/log.h"
#include "base/nearest.h"
#include "base/parse.h"
#include "base/path.h"
#include "trace/generic_event.h"
#include "trace/pmu_list.h"
#include "trace/pmu_terms.h"
#include "trace/tracefs.h"

#define DEVICES "/sys/bus/event_source/devices"
#define BREAKPOINT "mem:"
#define MODIFIERS "ukhpP"
/* The largest value of perf_event_attr's precise_ip. */
#define MOST_PRECISE 3

static int find_generic(const char *name, struct sample_event *ret)
{
	struct generic_event event;

	if (!generic_event__find(name, &event))
		return -ENOENT;
	ret->attr.type = event.type;
	ret->attr.config = event.config;
	return 0;
}

/* Parses "r1a8": a hexadecimal number, whatever the CPU makes of it. */
static int find_raw(const char *name, struct sample_event *ret)
{
	if (*name++ != 'r' || !*name || strspn(name, "0123456789abcdefABCDEF") != strlen(name))
		return -ENOENT;
	ret->attr.type = PERF_TYPE_RAW;
	ret->attr.config = strtoull(name, NULL, 16);
	return strlen(name) > 16 ? -ENOENT : 0;
}

static int find_tracepoint(const char *root, const char *name, struct sample_event *ret)
{
	_cleanup_free_ char *category = strdup(name), *path = strdup(name);
	char *event = category ? strchr(category, ':') : NULL;
	uint64_t id;

	if (!category || !path)
		return -ENOMEM;
	if (!event || strchr(name, '/') || *name == '.' || event[1] == '.')
		return -ENOENT;
	path[event - category] = '/';
	*event++ = '\0';
	if (tracefs__tracepoint_id(root, path, &id) ||
	    tracefs__read_format(root, category, event, &ret->format))
		return -ENOENT;
	ret->attr.type = PERF_TYPE_TRACEPOINT;
	ret->attr.config = id;
	ret->category = steal_ptr(category);
	return 0;
}

static int set_pmu(const char *root, const char *pmu, const char *terms, struct sample_event *ret)
{
	struct pmu_config config = {{ret->attr.config, ret->attr.config1, ret->attr.config2, ret->config3}};
	uint64_t type;
	int err = path__read_u64(root, &type, DEVICES "/%s/type", pmu);

	if (err)
		return err;
	err = pmu_terms__parse(root, pmu, terms, &config);
	ret->attr.type = (uint32_t)type;
	ret->attr.config = config.config[0];
	ret->attr.config1 = config.config[1];
	ret->attr.config2 = config.config[2];
	ret->config3 = config.config[3];
	return err;
}

/* Reads the terms that a name of the PMU's own stands for, "event=0xcd,umask=0x1". */
static int read_event(const char *root, const char *pmu, const char *name, char *terms, size_t size)
{
	if (strchr(name, '/') || *name == '.')
		return -ENOENT;
	return path__read(root, terms, size, DEVICES "/%s/events/%s", pmu, name) > 0 ? 0 : -ENOENT;
}

/* Finds a name that a PMU of the CPU itself has: these count everywhere, so they have no list of CPUs. */
static int find_in_pmus(const char *root, const char *name, struct sample_event *ret)
{
	_cleanup_(pmu_files__release) struct pmu_files pmus = {0};
	char terms[256];
	int err = pmu_list__pmus(root, &pmus);

	if (err)
		return err;
	for (size_t i = 0; i < pmus.nr; i++) {
		const char *pmu = pmus.items[i].name;

		if (!path__exists(root, DEVICES "/%s/cpumask", pmu) &&
		    !read_event(root, pmu, name, terms, sizeof(terms)))
			return set_pmu(root, pmu, terms, ret);
	}
	return -ENOENT;
}

/* Finds an event by its name. 0, -ENOENT if there is none, or another negative errno. */
static int find(const char *root, const char *name, struct sample_event *ret)
{
	int err = find_generic(name, ret);

	if (err == -ENOENT)
		err = find_raw(name, ret);
	if (err == -ENOENT)
		err = find_tracepoint(root, name, ret);
	return err == -ENOENT ? find_in_pmus(root, name, ret) : err;
}

static int set_modifiers(const char *modifiers, struct sample_event *event)
{
	struct perf_event_attr *attr = &event->attr;

	if (!*modifiers || strspn(modifiers, MODIFIERS) != strlen(modifiers)) {
		log_err("-e: '%s' are no modifiers: u, k, h, p and P are", modifiers);
		return -EINVAL;
	}
	/* The modifiers of a group are added to those of its members. */
	if (strpbrk(modifiers, "ukh") && !attr->exclude_user && !attr->exclude_kernel && !attr->exclude_hv)
		attr->exclude_user = attr->exclude_kernel = attr->exclude_hv = 1;
	for (; *modifiers; modifiers++) {
		switch (*modifiers) {
		case 'u':
			attr->exclude_user = 0;
			break;
		case 'k':
			attr->exclude_kernel = 0;
			break;
		case 'h':
			attr->exclude_hv = 0;
			break;
		case 'P':
			event->most_precise = true;
			break;
		default:
			attr->precise_ip =
				attr->precise_ip == MOST_PRECISE ? MOST_PRECISE : (attr->precise_ip + 1u) & 3;
		}
	}
	return 0;
}

int sample_event__modify(struct sample_event *event, const char *modifiers)
{
	return set_modifiers(modifiers, event);
}

void sample_event__settle_precision(struct sample_event *event, int (*try_open)(struct perf_event_attr *attr))
{
	struct perf_event_attr *attr = &event->attr;
	int fd;

	if (!event->most_precise)
		return;
	for (attr->precise_ip = MOST_PRECISE; attr->precise_ip; attr->precise_ip--) {
		fd = try_open(attr);
		if (fd < 0)
			continue;
		close(fd);
		break;
	}
}

static void log_unknown(const char *root, const char *name)
{
	char list[3 * NEAREST_NAME_MAX];
	struct nearest near = {0};

	generic_event__offer(name, &near);
	tracefs__offer_tracepoints(root, name, &near);
	nearest__format(&near, list, sizeof(list));
	log_err("-e: there is no event '%s'%s%s", name, *list ? "; near it are: " : "", list);
	if (strchr(name, ':') && !tracefs__is_mounted(root))
		log_err("tracepoints are found in tracefs, which is not mounted: mount -t tracefs tracefs "
			"/sys/kernel/tracing");
}

/* Finds a name. Behind its last colon are modifiers, unless there is an event with all of that name. */
static int find_with_modifiers(const char *root, char *name, struct sample_event *ret)
{
	char *colon = strrchr(name, ':');
	int err = find(root, name, ret);

	if (err != -ENOENT || !colon)
		return err;
	*colon = '\0';
	err = find(root, name, ret);
	if (!err)
		return set_modifiers(colon + 1, ret);
	*colon = ':';
	return err;
}

static int parse_name(const char *root, char *name, struct sample_event *ret)
{
	int err = find_with_modifiers(root, name, ret);

	if (err != -ENOENT)
		return err;
	if (strchr(name, ':') && tracefs__is_forbidden(root))
		return -EACCES;
	log_unknown(root, name);
	return -EINVAL;
}

/* Parses a term that every event has, how often it samples. 1 if it is one, 0 if not, or -EINVAL, logged. */
static int parse_rate(const char *term, struct perf_event_attr *attr)
{
	const char *value = strchr(term, '=');
	uint64_t number;

	if (!value || (strncmp(term, "period=", 7) && strncmp(term, "freq=", 5)))
		return 0;
	if (parse__u64(value + 1, &number) || !number) {
		log_err("-e: '%s' needs a number above 0", term);
		return -EINVAL;
	}
	attr->freq = *term == 'f';
	attr->sample_period = number;
	return 1;
}

static int parse_term(const char *root, const char *pmu, const char *term, struct sample_event *ret)
{
	char terms[256];
	int done = parse_rate(term, &ret->attr);

	if (done || !*term)
		return done < 0 ? done : 0;
	if (!pmu) {
		log_err("-e: of the terms of '%s' only period= and freq= are known", ret->name);
		return -EINVAL;
	}
	if (!read_event(root, pmu, term, terms, sizeof(terms)))
		term = terms;
	return set_pmu(root, pmu, term, ret);
}

/* Parses NAME/terms/modifiers: NAME is a PMU, or an event that has a name of its own. */
static int parse_with_terms(const char *root, char *text, struct sample_event *ret)
{
	char *name = strsep(&text, "/"), *terms = strsep(&text, "/"), *term;
	bool is_pmu = *name != '.' && path__exists(root, DEVICES "/%s/type", name);
	int err = is_pmu ? set_pmu(root, name, "", ret) : parse_name(root, name, ret);

	if (err == -EINVAL && !is_pmu)
		log_err("nor is there a PMU '%s' in " DEVICES "; most virtual machines have none of the CPU",
			name);
	while (!err && (term = strsep(&terms, ",")))
		err = parse_term(root, is_pmu ? name : NULL, term, ret);
	return !err && text && *text ? set_modifiers(text, ret) : err;
}

static int set_access(const char *access, struct perf_event_attr *attr)
{
	for (; *access; access++) {
		if (*access == 'r')
			attr->bp_type |= HW_BREAKPOINT_R;
		else if (*access == 'w')
			attr->bp_type |= HW_BREAKPOINT_W;
		else if (*access == 'x')
			attr->bp_type |= HW_BREAKPOINT_X;
		else
			return -EINVAL;
	}
	return attr->bp_type ? 0 : -EINVAL;
}

/* Parses mem:ADDRESS[/LENGTH][:rwx[:modifiers]], without "mem:". */
static int parse_breakpoint(char *text, struct sample_event *ret)
{
	char *where = strsep(&text, ":"), *access = strsep(&text, ":"), *address = strsep(&where, "/");
	struct perf_event_attr *attr = &ret->attr;
	uint64_t start, length = HW_BREAKPOINT_LEN_4;

	attr->type = PERF_TYPE_BREAKPOINT;
	if (parse__u64(address, &start) || (where && parse__u64(where, &length)) ||
	    set_access(access ?: "rw", attr)) {
		log_err("-e: cannot read '%s': expected mem:ADDRESS[/LENGTH][:rwx], as in mem:0x601040/8:w",
			ret->name);
		return -EINVAL;
	}
	attr->bp_addr = start;
	/* x86 takes only this length for it. */
	attr->bp_len = attr->bp_type == HW_BREAKPOINT_X && !where ? sizeof(long) : length;
	return text ? set_modifiers(text, ret) : 0;
}

int sample_event__parse(const char *root, const char *spec, struct sample_event *ret)
{
	_cleanup_free_ char *copy = strdup(spec);

	*ret = (struct sample_event){0};
	if (!copy)
		return -ENOMEM;
	if (!*spec || strlen(spec) >= sizeof(ret->name)) {
		log_err("-e: the name of an event is %s", *spec ? "too long" : "empty");
		return -EINVAL;
	}
	strcpy(ret->name, spec);
	if (!strncmp(copy, BREAKPOINT, strlen(BREAKPOINT)))
		return parse_breakpoint(copy + strlen(BREAKPOINT), ret);
	return strchr(copy, '/') ? parse_with_terms(root, copy, ret) : parse_name(root, copy, ret);
}

void sample_event__release(struct sample_event *event)
{
	free(event->category);
	buf__release(&event->format);
}

bool sample_event__is_shared(const struct sample_event *event)
{
	return event->attr.type == PERF_TYPE_TRACEPOINT;
}
