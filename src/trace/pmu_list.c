// SPDX-License-Identifier: GPL-2.0-only
#include "trace/pmu_list.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/path.h"

#define DEVICES "/sys/bus/event_source/devices"

static int add(struct pmu_files *files, const char *name)
{
	struct pmu_file *items = reallocarray(files->items, files->nr + 1, sizeof(*items));

	if (!items)
		return -ENOMEM;
	files->items = items;
	items[files->nr] = (struct pmu_file){0};
	snprintf(items[files->nr].name, sizeof(items->name), "%s", name);
	files->nr++;
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct pmu_file *)a)->name, ((const struct pmu_file *)b)->name);
}

/* Reads the names in @dir, each with the contents of its file @file ("": of the entry itself). */
static int read_entries(const char *root, const char *dir, const char *file, struct pmu_files *ret)
{
	_cleanup_closedir_ DIR *d = path__opendir(root, "%s", dir);
	struct dirent *entry;
	int err = 0;

	*ret = (struct pmu_files){0};
	if (!d)
		return errno == ENOENT ? 0 : -errno;
	while (!err && (entry = readdir(d))) {
		if (entry->d_name[0] != '.')
			err = add(ret, entry->d_name);
	}
	if (ret->nr)
		qsort(ret->items, ret->nr, sizeof(*ret->items), compare);
	for (size_t i = 0; i < ret->nr; i++) {
		struct pmu_file *item = &ret->items[i];

		if (path__read(root, item->value, sizeof(item->value), "%s/%s%s", dir, item->name, file) < 0)
			item->value[0] = '\0';
	}
	return err;
}

int pmu_list__pmus(const char *root, struct pmu_files *ret)
{
	return read_entries(root, DEVICES, "/type", ret);
}

int pmu_list__files(const char *root, const char *pmu, const char *dir, struct pmu_files *ret)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), DEVICES "/%s/%s", pmu, dir);
	return read_entries(root, path, "", ret);
}

void pmu_files__release(struct pmu_files *files)
{
	free(files->items);
	*files = (struct pmu_files){0};
}
