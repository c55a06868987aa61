// SPDX-License-Identifier: GPL-2.0-only
#include "trace/trace_pmu.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/path.h"

#define DEVICES "/sys/bus/event_source/devices"

static const struct trace_pmu_ops *const known_pmus[] = {&intel_pt_ops, &cs_etm_ops};

const char *trace_pmu__known(void)
{
	static char names[64];

	if (*names)
		return names;
	for (size_t i = 0; i < ARRAY_SIZE(known_pmus); i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", i ? ", " : "",
			 known_pmus[i]->name);
	return names;
}

bool trace_pmu__is_known(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(known_pmus); i++) {
		if (!strcmp(known_pmus[i]->name, name))
			return true;
	}
	return false;
}

static int open_pmu(const char *root, const struct trace_pmu_ops *ops, struct trace_pmu *ret)
{
	uint64_t type;
	int err = path__read_u64(root, &type, DEVICES "/%s/type", ops->name);

	if (err)
		return err == -ENOENT ? -ENODEV : err;
	*ret = (struct trace_pmu){.ops = ops, .root = root, .type = (uint32_t)type};
	return 0;
}

int trace_pmu__find(const char *root, struct trace_pmu *ret)
{
	int err = -ENODEV;

	for (size_t i = 0; err && i < ARRAY_SIZE(known_pmus); i++)
		err = open_pmu(root, known_pmus[i], ret);
	return err;
}

bool trace_pmu__has_kernel_clock(const struct trace_pmu *pmu, int cpu)
{
	return !pmu->ops->has_kernel_clock || pmu->ops->has_kernel_clock(pmu->root, cpu);
}

static int find_pmu_by_name(const char *root, const char *name, struct trace_pmu *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(known_pmus); i++) {
		if (!strcmp(known_pmus[i]->name, name))
			return open_pmu(root, known_pmus[i], ret);
	}
	return -EINVAL;
}

static int parse_modifiers(const char *modifiers, struct trace_event *event)
{
	bool user = false, kernel = false;

	for (const char *m = modifiers; *m; m++) {
		if (*m == 'u') {
			user = true;
		} else if (*m == 'k') {
			kernel = true;
		} else {
			log_err("unknown modifier '%c' of the event; a trace event takes u (user space) "
				"and k (kernel)",
				*m);
			return -EINVAL;
		}
	}
	event->modes_given = user || kernel;
	event->exclude_user = event->modes_given && !user;
	event->exclude_kernel = event->modes_given && !kernel;
	return 0;
}

/* Splits PMU/terms/modifiers, or PMU:modifiers, in place. The last "/" may be missing, as in
 * "intel_pt/tsc". */
static int split_spec(char *spec, char **terms, char **modifiers)
{
	static char empty[] = "";

	*terms = *modifiers = empty;
	spec += strcspn(spec, "/:");
	if (!*spec)
		return 0;
	if (*spec == ':') {
		*spec++ = '\0';
		*modifiers = spec;
		return 0;
	}
	*spec++ = '\0';
	*terms = spec;
	spec = strchr(spec, '/');
	if (spec) {
		*spec++ = '\0';
		*modifiers = spec;
	}
	return strchr(*modifiers, '/') ? -EINVAL : 0;
}

static int parse_spec(const char *root, char *spec, struct trace_event *ret)
{
	char *terms, *modifiers;
	int err;

	if (split_spec(spec, &terms, &modifiers)) {
		log_err("cannot read the event '%s': expected PMU/terms/modifiers, as in intel_pt/tsc/k",
			spec);
		return -EINVAL;
	}
	err = find_pmu_by_name(root, spec, &ret->pmu);
	if (err == -EINVAL)
		log_err("'%s' is no trace PMU that auxbpf knows; it knows: %s", spec, trace_pmu__known());
	if (err)
		return err;
	err = parse_modifiers(modifiers, ret);
	if (err)
		return err;
	err = ret->pmu.ops->default_config(&ret->pmu, &ret->config);
	if (err)
		return err;
	err = pmu_terms__parse(root, ret->pmu.ops->name, terms, &ret->config);
	if (!err && ret->pmu.ops->of_event)
		ret->pmu.ops = ret->pmu.ops->of_event(ret);
	return err;
}

int trace_event__parse(const char *root, const char *spec, struct trace_event *ret)
{
	_cleanup_free_ char *copy = NULL;
	struct trace_pmu pmu;
	int err;

	*ret = (struct trace_event){0};
	if (!spec) {
		err = trace_pmu__find(root, &pmu);
		if (err)
			return err;
		snprintf(ret->name, sizeof(ret->name), "%s//", pmu.ops->name);
		spec = ret->name;
	}
	if (strlen(spec) >= sizeof(ret->name)) {
		log_err("the event '%s' is too long", spec);
		return -EINVAL;
	}
	copy = strdup(spec);
	if (!copy)
		return -ENOMEM;
	if (spec != ret->name)
		snprintf(ret->name, sizeof(ret->name), "%s", spec);
	return parse_spec(root, copy, ret);
}

void trace_event__default_to_kernel(struct trace_event *event)
{
	size_t len = strlen(event->name);

	if (event->modes_given)
		return;
	event->exclude_user = true;
	if (len && event->name[len - 1] == '/' && len + 1 < sizeof(event->name))
		strcat(event->name, "k");
}

int trace_event__put_in_samples(struct trace_event *event, const char *spec)
{
	const struct trace_pmu *pmu = &event->pmu;

	if (!pmu->ops->sample_config) {
		log_err("--aux-sample: the driver of %s gives no trace to samples", pmu->ops->name);
		return -EINVAL;
	}
	return spec && strstr(spec, "psb_period") ? 0 : pmu->ops->sample_config(pmu, &event->config);
}

const char *trace_event__modes(const struct trace_event *event)
{
	if (event->exclude_user)
		return "kernel";
	return event->exclude_kernel ? "user" : "kernel and user";
}

uint64_t trace_event__term(const struct trace_event *event, const char *name)
{
	char format[64];

	if (path__read(event->pmu.root, format, sizeof(format), DEVICES "/%s/format/%s", event->pmu.ops->name,
		       name) < 0)
		return 0;
	return pmu_format__get(format, &event->config);
}
