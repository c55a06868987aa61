// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/proc_maps.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/path.h"

/* A line is: start-end prot offset major:minor inode [name] */
static bool parse_line(char *line, struct proc_map *map)
{
	unsigned long long start, end, pgoff, ino;
	char prot[5];
	int name = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, prot, &pgoff, &map->maj, &map->min,
		   &ino, &name) != 7 ||
	    strlen(prot) != 4 || !name)
		return false;
	map->start = start;
	map->end = end;
	map->pgoff = pgoff;
	map->ino = ino;
	map->prot = (prot[0] == 'r' ? PROT_READ : 0) | (prot[1] == 'w' ? PROT_WRITE : 0) |
		    (prot[2] == 'x' ? PROT_EXEC : 0);
	map->flags = prot[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	line[strcspn(line, "\n")] = '\0';
	map->name = line + name;
	return true;
}

static bool is_data(const struct proc_map *map)
{
	return map->prot == PROT_READ && *map->name == '/';
}

int proc_maps__each(const char *root, int pid, bool data, int (*fn)(void *ctx, struct proc_map *map),
		    void *ctx)
{
	return proc_maps__some(root, pid, data, SIZE_MAX, fn, ctx);
}

int proc_maps__some(const char *root, int pid, bool data, size_t max,
		    int (*fn)(void *ctx, struct proc_map *map), void *ctx)
{
	_cleanup_fclose_ FILE *file = NULL;
	_cleanup_free_ char *line = NULL;
	int fd = path__open(root, "/proc/%d/maps", pid), err = 0;
	struct proc_map map;
	size_t size = 0, read = 0;
	ssize_t len;

	if (fd < 0)
		return 0;
	file = fdopen(fd, "r");
	if (!file) {
		close(fd);
		return -ENOMEM;
	}
	while (!err && (len = getline(&line, &size, file)) > 0) {
		if (read > max)
			return PROC_MAPS_CUT;
		read += (size_t)len;
		if (parse_line(line, &map) && (map.prot & PROT_EXEC || (data && is_data(&map))))
			err = fn(ctx, &map);
	}
	return err;
}
