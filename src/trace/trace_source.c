// SPDX-License-Identifier: GPL-2.0-only
#include "trace/trace_source.h"

#include <string.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "base/path.h"
#include "trace/pmu_terms.h"

#define PMU_DIR "/sys/bus/event_source/devices"
#define FORMAT_MAX 64

static uint64_t read_format(const struct trace_source_dir *dir, int cpu, const char *term)
{
	char format[FORMAT_MAX];

	if (path__read(dir->root, format, sizeof(format), PMU_DIR "/%s/format/%s", dir->pmu, term) <= 0)
		return 0;
	return pmu_format__mask(format);
}

static uint64_t read_value(const struct trace_source_dir *dir, int cpu, const char *file)
{
	uint64_t val;

	return path__read_u64(dir->root, &val, PMU_DIR "/%s/%s", dir->pmu, file) ? 0 : val;
}

static uint64_t read_cpu_value(const struct trace_source_dir *dir, int cpu, const char *file)
{
	uint64_t val;

	return path__read_u64(dir->root, &val, PMU_DIR "/%s/cpu%d/%s", dir->pmu, cpu, file) ? 0 : val;
}

/* Returns a value that is read once, or each time if there is no memory to keep it. */
static uint64_t look_up(struct trace_source_dir *dir, int cpu, const char *name,
			uint64_t (*read)(const struct trace_source_dir *dir, int cpu, const char *name))
{
	const struct trace_source_value *known = (const void *)dir->known.data;
	struct trace_source_value new = {name, cpu, read, 0};

	for (size_t i = 0; i < dir->known.len / sizeof(*known); i++)
		if (known[i].read == read && known[i].cpu == cpu && !strcmp(known[i].name, name))
			return known[i].value;
	new.value = read(dir, cpu, name);
	buf__add(&dir->known, &new, sizeof(new));
	return new.value;
}

static uint64_t format_bits(void *ctx, const char *term)
{
	return look_up(ctx, -1, term, read_format);
}

static uint64_t value(void *ctx, const char *file)
{
	return look_up(ctx, -1, file, read_value);
}

static uint64_t cpu_value(void *ctx, int cpu, const char *file)
{
	return look_up(ctx, cpu, file, read_cpu_value);
}

struct trace_source trace_source__of(struct trace_source_dir *dir, const char *root, const char *pmu)
{
	struct trace_source source = {
		.format_bits = format_bits,
		.value = value,
		.cpu_value = cpu_value,
		.ctx = dir,
	};

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

void trace_source_dir__release(struct trace_source_dir *dir)
{
	buf__release(&dir->known);
}
