// SPDX-License-Identifier: GPL-2.0-only
#include "perfdata/feature.h"

#include <string.h>

/* perf pads every string of the header to this (NAME_ALIGN). */
#define STRING_ALIGN 64

/* perf's struct perf_record_header_build_id, up to the name */
struct build_id_entry {
	struct perf_event_header header;
	int32_t pid;
	uint8_t data[BUILD_ID_MAX];
	uint8_t size;
	uint8_t reserved1;
	uint16_t reserved2;
};

/* perf's bit for "the size byte is valid": without it a reader assumes 20 bytes. */
#define MISC_BUILD_ID_SIZE (1 << 15)
#define HOST_PID (-1)

struct perf_event_attr feature__file_attr(const struct perf_event_attr *attr)
{
	struct perf_event_attr ret = *attr;
	const uint32_t none = 0;

	ret.size = sizeof(ret);
	/* Clears aux_action, which older headers call __reserved_3. */
	memcpy((char *)&ret + offsetof(struct perf_event_attr, aux_sample_size) + sizeof(ret.aux_sample_size),
	       &none, sizeof(none));
	return ret;
}

void feature__add_string(struct buf *b, const char *s)
{
	size_t len = strlen(s) + 1;
	size_t padded = (len + STRING_ALIGN - 1) & ~(size_t)(STRING_ALIGN - 1);

	buf__add_u32(b, (uint32_t)padded);
	buf__add(b, s, len);
	buf__add(b, NULL, padded - len);
}

static void feature__add_strings(struct buf *b, const char *const *strings, uint32_t nr)
{
	uint32_t i;

	buf__add_u32(b, nr);
	for (i = 0; i < nr; i++)
		feature__add_string(b, strings[i]);
}

void feature__add_nrcpus(struct buf *b, uint32_t available, uint32_t online)
{
	buf__add_u32(b, available);
	buf__add_u32(b, online);
}

void feature__add_cmdline(struct buf *b, const char *exe, char *const *argv)
{
	uint32_t nr = 1;

	while (argv[nr - 1])
		nr++;
	buf__add_u32(b, nr);
	feature__add_string(b, exe);
	for (; *argv; argv++)
		feature__add_string(b, *argv);
}

void feature__add_event_desc(struct buf *b, const struct feature_event *events, uint32_t nr)
{
	uint32_t i;

	buf__add_u32(b, nr);
	buf__add_u32(b, sizeof(*events->attr));
	for (i = 0; i < nr; i++) {
		const struct perf_event_attr attr = feature__file_attr(events[i].attr);

		buf__add(b, &attr, sizeof(attr));
		buf__add_u32(b, events[i].nr_ids);
		feature__add_string(b, events[i].name);
		buf__add(b, events[i].ids, events[i].nr_ids * sizeof(*events->ids));
	}
}

void feature__add_group_desc(struct buf *b, const struct feature_event *events, uint32_t nr)
{
	uint32_t groups = 0, i;

	for (i = 0; i < nr; i++)
		groups += events[i].nr_members > 0;
	buf__add_u32(b, groups);
	for (i = 0; i < nr; i++) {
		if (!events[i].nr_members)
			continue;
		feature__add_string(b, "{anon_group}");
		buf__add_u32(b, i);
		buf__add_u32(b, events[i].nr_members + 1); /* perf counts the leader */
	}
}

void feature__add_topology(struct buf *b, const struct feature_topology *t)
{
	uint32_t i;

	feature__add_strings(b, t->sockets, t->nr_sockets);
	feature__add_strings(b, t->cores, t->nr_cores);
	for (i = 0; i < t->nr_cpus; i++) {
		buf__add_u32(b, t->cpus[i].core_id);
		buf__add_u32(b, t->cpus[i].socket_id);
	}
	if (!t->nr_dies)
		return;
	feature__add_strings(b, t->dies, t->nr_dies);
	for (i = 0; i < t->nr_cpus; i++)
		buf__add_u32(b, t->cpus[i].die_id);
}

void feature__add_numa_node(struct buf *nodes, const struct feature_numa_node *node)
{
	buf__add_u32(nodes, node->node);
	buf__add_u64(nodes, node->total_kib);
	buf__add_u64(nodes, node->free_kib);
	feature__add_string(nodes, node->cpus);
}

void feature__add_numa(struct buf *b, uint32_t nr, const struct buf *nodes)
{
	buf__add_u32(b, nr);
	buf__add_buf(b, nodes);
}

void feature__add_pmus(struct buf *b, const struct feature_pmu *pmus, uint32_t nr)
{
	uint32_t i;

	buf__add_u32(b, nr);
	for (i = 0; i < nr; i++) {
		buf__add_u32(b, pmus[i].type);
		feature__add_string(b, pmus[i].name);
	}
}

void feature__add_build_id(struct buf *b, const struct build_id *id, uint16_t misc, const char *name)
{
	size_t len = strlen(name) + 1;
	size_t padded = (len + 7) & ~(size_t)7;
	struct build_id_entry entry = {
		.header = {.misc = misc | MISC_BUILD_ID_SIZE, .size = (uint16_t)(sizeof(entry) + padded)},
		.pid = HOST_PID,
		.size = id->size,
	};

	memcpy(entry.data, id->data, id->size);
	buf__add(b, &entry, sizeof(entry));
	buf__add(b, name, len);
	buf__add(b, NULL, padded - len);
}
