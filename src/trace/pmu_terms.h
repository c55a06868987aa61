/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Turns the terms of an event as perf writes them, "tsc=1,mtc_period=3,noretcomp", into attr.config to
 * config3 by the PMU's own format files (Documentation/ABI/testing/sysfs-bus-event_source-devices-format).
 */
#ifndef AUXBPF_TRACE_PMU_TERMS_H
#define AUXBPF_TRACE_PMU_TERMS_H

#include <stdint.h>

#include "base/cleanup.h"

struct pmu_config {
	uint64_t config[4]; /* config, config1, config2, config3 */
};

/*
 * Sets the bits of a term to @value. @format is the text of the term's format file, "config:14-17" or
 * "config1:0-3,8". -EINVAL if it is no format, -ERANGE if the value does not fit.
 */
int pmu_format__set(const char *format, uint64_t value, struct pmu_config *config) _must_check_
	_nonnull_(1, 3);

/*
 * Returns the bits of a term in its config word as a mask, for decoders that want to know them; 0 if @format
 * is no format or of another word than attr.config.
 */
uint64_t pmu_format__mask(const char *format) _nonnull_(1);

/* Returns the value that the term with @format has in @config. */
uint64_t pmu_format__get(const char *format, const struct pmu_config *config) _nonnull_(1, 2);

/*
 * Sets all of @terms, a list separated by commas. A term without "=" is set to 1, or is a name in the PMU's
 * directory of events and stands for the terms there; "@trbe0" is a sink. The PMU's directory is
 * @root/sys/bus/event_source/devices/@pmu. Logs what is wrong; 0 or -EINVAL.
 */
int pmu_terms__parse(const char *root, const char *pmu, const char *terms,
		     struct pmu_config *config) _must_check_ _nonnull_(1, 2, 3, 4);

#endif
