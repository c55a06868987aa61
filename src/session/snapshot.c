// SPDX-License-Identifier: GPL-2.0-only
#include "session/snapshot.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "kernel/control.h"
#include "session/counters.h"

/* What is handed to the file writer, an entry a CPU. */
struct parts {
	int *cpus;
	uint64_t *aux_ids;
	uint64_t *sideband_ids;
	struct capture_sideband *sideband;
	struct capture_aux *aux;
};

static void parts__free(struct parts *p)
{
	free(p->cpus);
	free(p->aux_ids);
	free(p->sideband_ids);
	free(p->sideband);
	free(p->aux);
}

static int parts__alloc(struct parts *p, size_t nr)
{
	p->cpus = calloc(nr, sizeof(*p->cpus));
	p->aux_ids = calloc(nr, sizeof(*p->aux_ids));
	p->sideband_ids = calloc(nr, sizeof(*p->sideband_ids));
	p->sideband = calloc(nr, sizeof(*p->sideband));
	p->aux = calloc(nr, sizeof(*p->aux));
	return p->cpus && p->aux_ids && p->sideband_ids && p->sideband && p->aux ? 0 : -ENOMEM;
}

int snapshot__prepare(const struct capture_opts *opts, struct capture_file **ret)
{
	struct capture_file_opts file_opts = {
		.path = opts->output,
		.root = opts->root,
		.cmdline = opts->cmdline,
		.version = opts->version,
		.sample_type = CPU_TRACE_SAMPLE_TYPE,
		.kcore = !opts->event->exclude_kernel,
	};

	return capture_file__new(&file_opts, ret);
}

static uint64_t read_tsc(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

static void fill_cpu(struct parts *p, size_t i, const struct cpu_trace *cpu)
{
	struct capture_aux *aux = &p->aux[i];

	p->cpus[i] = cpu->cpu;
	p->aux_ids[i] = cpu->aux_id;
	p->sideband_ids[i] = cpu->sideband_id;
	p->sideband[i].records = buf__span(&cpu->sideband);
	*aux = (struct capture_aux){.cpu = cpu->cpu, .idx = (uint32_t)i, .tid = -1, .reference = read_tsc()};
	ring__aux_spans(&cpu->ring, aux->data);
}

static int write_file(const struct capture_opts *opts, struct capture_file *file, const struct parts *p,
		      const struct cpu_trace *cpus, size_t nr, const struct gate *gate, uint64_t *aux_bytes)
{
	struct perf_event_attr aux_attr, sideband_attr;
	struct capture_event events[] = {
		{.attr = &aux_attr,
		 .name = opts->event->name,
		 .cpus = p->cpus,
		 .ids = p->aux_ids,
		 .nr_ids = nr},
		{.attr = &sideband_attr,
		 .name = "dummy:u",
		 .cpus = p->cpus,
		 .ids = p->sideband_ids,
		 .nr_ids = nr},
	};
	struct capture_desc desc = {
		.events = events,
		.nr_events = ARRAY_SIZE(events),
		.sideband = p->sideband,
		.nr_sideband = nr,
		.aux = p->aux,
		.nr_aux = nr,
		.trace =
			{
				.pmu = opts->event->pmu.ops->name,
				.pmu_type = opts->event->pmu.type,
				.switches = CAPTURE_SWITCHES_CPU_WIDE,
			},
	};
	int err;

	cpu_trace__aux_attr(opts->event, control__pauses_event(gate__control(gate)), &aux_attr);
	cpu_trace__sideband_attr(&sideband_attr);
	err = tsc_conv__read(cpus[0].ring.page, &desc.tsc);
	if (err && err != -EOPNOTSUPP) {
		log_err("cannot read how the trace's clock converts to perf's: %s", strerror(-err));
		return err;
	}
	return capture_file__write(file, &desc, aux_bytes);
}

static const char *traced_modes(const struct trace_event *event)
{
	if (event->exclude_user)
		return "kernel";
	return event->exclude_kernel ? "user" : "kernel and user";
}

int snapshot__write(const struct capture_opts *opts, struct capture_file *file, const struct cpu_trace *cpus,
		    size_t nr_cpus, const struct gate *gate)
{
	_cleanup_(parts__free) struct parts parts = {0};
	uint64_t aux_bytes = 0;
	char windows[192];
	int err = parts__alloc(&parts, nr_cpus);

	if (err)
		return err;
	for (size_t i = 0; i < nr_cpus; i++)
		fill_cpu(&parts, i, &cpus[i]);
	err = write_file(opts, file, &parts, cpus, nr_cpus, gate, &aux_bytes);
	if (err)
		return err;
	counters__describe(gate, cpus, nr_cpus, windows, sizeof(windows));
	counters__log(gate, cpus, nr_cpus);
	log_info("%s, %llu bytes of %s trace (%s), written to %s", windows, (unsigned long long)aux_bytes,
		 opts->event->pmu.ops->name, traced_modes(opts->event), opts->output);
	if (capture_file__programs(file))
		log_info("programs of its containers are in %s/debug: perf --buildid-dir %s/debug script -i "
			 "%s",
			 opts->output, opts->output, opts->output);
	return 0;
}
