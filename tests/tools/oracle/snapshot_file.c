// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "snapshot_file.h"

static int snapshot_file__load(struct snapshot_file *file, const char *path, FILE *names)
{
	size_t size = 0;

	if (names && getline(&file->name, &size, names) < 0) {
		fprintf(stderr, "oracle-check: %s: no name is left for it\n", path);
		return -EINVAL;
	}
	if (!names)
		file->name = strdup(path);
	if (!file->name)
		return -ENOMEM;
	file->name[strcspn(file->name, "\n")] = '\0';
	return decode_text__load(path, &file->text);
}

int snapshot_files__load(char *const *paths, unsigned int nr, const char *names, struct snapshot_file **ret)
{
	_cleanup_fclose_ FILE *f = names ? fopen(names, "r") : NULL;
	struct snapshot_file *files;
	int err = 0;

	if (names && !f) {
		err = -errno;
		fprintf(stderr, "oracle-check: cannot read %s: %s\n", names, strerror(-err));
		return err;
	}
	files = calloc(nr, sizeof(*files));
	if (!files)
		return -ENOMEM;
	for (unsigned int i = 0; !err && i < nr; i++)
		err = snapshot_file__load(&files[i], paths[i], f);
	if (err)
		snapshot_files__free(files, nr);
	else
		*ret = files;
	return err;
}

void snapshot_files__free(struct snapshot_file *files, unsigned int nr)
{
	for (unsigned int i = 0; files && i < nr; i++) {
		free(files[i].name);
		decode_text__free(files[i].text);
	}
	free(files);
}
