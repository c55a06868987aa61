// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/trace_source.h"

#include <string.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "base/path.h"
#include "kernel/pmu_terms.h"

#define PMU_DIR "/sys/bus/event_source/devices"
#define FORMAT_MAX 64

static uint64_t read_format(const struct trace_source_dir *dir, const char *term)
{
	char format[FORMAT_MAX];

	if (path__read(dir->root, format, sizeof(format), PMU_DIR "/%s/format/%s", dir->pmu, term) <= 0)
		return 0;
	return pmu_format__mask(format);
}

static uint64_t read_value(const struct trace_source_dir *dir, const char *file)
{
	uint64_t val;

	return path__read_u64(dir->root, &val, PMU_DIR "/%s/%s", dir->pmu, file) ? 0 : val;
}

static uint64_t look_up(struct trace_source_dir *dir, const char *name,
			uint64_t (*read)(const struct trace_source_dir *dir, const char *name))
{
	uint64_t value;

	for (unsigned int i = 0; i < dir->nr; i++)
		if (dir->known[i].read == read && !strcmp(dir->known[i].name, name))
			return dir->known[i].value;
	value = read(dir, name);
	if (dir->nr < ARRAY_SIZE(dir->known))
		dir->known[dir->nr++] = (struct trace_source_value){name, read, value};
	return value;
}

static uint64_t format_bits(void *ctx, const char *term)
{
	return look_up(ctx, term, read_format);
}

static uint64_t value(void *ctx, const char *file)
{
	return look_up(ctx, file, read_value);
}

struct trace_source trace_source__of(struct trace_source_dir *dir, const char *root, const char *pmu)
{
	struct trace_source source = {.format_bits = format_bits, .value = value, .ctx = dir};

	dir->root = root;
	dir->pmu = pmu;
#ifdef __x86_64__
	unsigned int eax, ebx, ecx, edx;

	/* CPUID leaf 0x15: TSC and core crystal clock (Intel SDM vol. 2, CPUID). */
	if (__get_cpuid_count(0x15, 0, &eax, &ebx, &ecx, &edx)) {
		source.tsc_ctc_num = ebx;
		source.tsc_ctc_denom = eax;
	}
#endif
	return source;
}
