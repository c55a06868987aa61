// SPDX-License-Identifier: GPL-2.0-only
#include "containers/container_state.h"

#include <errno.h>
#include <json.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/log.h"
#include "containers/docker_socket.h"
#include "files/file_helper.h"
#include "files/foreign_file.h"

/* podman's list of some thousand containers has a few megabytes. */
#define FILE_SIZE_MAX (16 << 20)

struct reader {
	const struct cgroup_tree *tree;
	struct container_states *states;
	struct file_errand *errand;
	uid_t owner;   /* of the file that is read now */
	uid_t counted; /* the user whose records @nr_counted counts; 0: nobody */
	size_t nr_counted;
};

/* A record of a file. The strings are copied when it is added. */
struct fields {
	const char *runtime;
	const char *id;
	const char *name;
	const char *pod;
	const char *namespace;
	const char *pod_uid;
	const char *cgroup;
};

static char *copy_of(const char *text, int *err)
{
	char *copy = text && *text ? strdup(text) : NULL;

	if (text && *text && !copy)
		*err = -ENOMEM;
	return copy;
}

static void state__release(struct container_state *s)
{
	free(s->id);
	free(s->name);
	free(s->pod);
	free(s->namespace);
	free(s->pod_uid);
	free(s->cgroup);
}

static bool is_longer(const char *text, size_t max)
{
	return text && strnlen(text, max + 1) > max;
}

/* The id, or a name, of a container is the name of a directory somewhere; those of Kubernetes are shorter. */
static bool is_sound(const struct fields *f)
{
	return f->id && *f->id && !is_longer(f->id, NAME_MAX) && !is_longer(f->name, NAME_MAX) &&
	       !is_longer(f->pod, NAME_MAX) && !is_longer(f->namespace, NAME_MAX) &&
	       !is_longer(f->pod_uid, NAME_MAX) && !is_longer(f->cgroup, PATH_MAX - 1);
}

/* Tells whether the owner has as many records as are kept. Counts anew for another user: the files of one
 * mostly come together. */
static bool has_enough(struct reader *r)
{
	if (r->owner && r->counted != r->owner) {
		r->counted = r->owner;
		r->nr_counted = 0;
		for (size_t i = 0; i < r->states->nr; i++)
			r->nr_counted += r->states->all[i].owner == r->owner;
	}
	return r->owner && r->nr_counted >= CONTAINER_STATES_OF_USER;
}

/* Counts a record, and tells whether it is the last that is kept of this user. */
static bool count(struct reader *r)
{
	if (!r->owner || r->counted != r->owner)
		return false;
	r->nr_counted++;
	return r->nr_counted == CONTAINER_STATES_OF_USER;
}

static int add(struct reader *r, const struct fields *fields)
{
	struct container_states *states = r->states;
	struct container_state *all, *s;
	int err = 0;

	if (!is_sound(fields))
		return -EINVAL;
	if (has_enough(r))
		return -E2BIG;
	all = realloc(states->all, (states->nr + 1) * sizeof(*all));
	if (!all)
		return -ENOMEM;
	states->all = all;
	s = &all[states->nr++];
	*s = (struct container_state){
		.runtime = fields->runtime,
		.owner = r->owner,
		.is_last = count(r),
		.id = copy_of(fields->id, &err),
		.name = copy_of(fields->name, &err),
		.pod = copy_of(fields->pod, &err),
		.namespace = copy_of(fields->namespace, &err),
		.pod_uid = copy_of(fields->pod_uid, &err),
		.cgroup = copy_of(fields->cgroup, &err),
	};
	return err;
}

/* Returns the string @key of @object; NULL if there is none. */
static const char *string_of(json_object *object, const char *key)
{
	json_object *value;

	if (!json_object_object_get_ex(object, key, &value) || !json_object_is_type(value, json_type_string))
		return NULL;
	return json_object_get_string(value);
}

static const char *either(json_object *object, const char *key, const char *other)
{
	const char *value = string_of(object, key);

	return value ? value : string_of(object, other);
}

/* Writes the name of the directory @up levels above the one of the file. */
static const char *directory(const char *path, int up, char *name)
{
	const char *end = strrchr(path, '/'), *start = end;

	for (int i = 0; i <= up; i++) {
		end = i ? start : end;
		for (start = end; start > path && start[-1] != '/'; start--)
			;
		start -= start > path;
	}
	snprintf(name, NAME_MAX + 1, "%.*s", (int)(end - start - 1), start + 1);
	return name;
}

/* docker's file: {"ID": ..., "Name": "/web", ...} */
static int read_docker(struct reader *r, struct fields *fields, const char *path, json_object *json)
{
	const char *name = string_of(json, "Name");

	fields->id = string_of(json, "ID");
	fields->name = name && *name == '/' ? name + 1 : name;
	return add(r, fields);
}

/* The file of containers/storage, which podman uses: [{"id": ..., "names": ["web"], ...}, ...] */
static int read_storage(struct reader *r, struct fields *fields, const char *path, json_object *json)
{
	json_object *names, *container;

	if (!json_object_is_type(json, json_type_array))
		return -EINVAL;
	for (size_t i = 0; i < json_object_array_length(json); i++) {
		container = json_object_array_get_idx(json, i);
		if (!json_object_object_get_ex(container, "names", &names) ||
		    !json_object_is_type(names, json_type_array))
			continue;
		fields->id = string_of(container, "id");
		for (size_t j = 0; j < json_object_array_length(names); j++) {
			fields->name = json_object_get_string(json_object_array_get_idx(names, j));
			if (add(r, fields) == -ENOMEM)
				return -ENOMEM;
		}
	}
	return 0;
}

/* Reads a bundle's config.json: the annotations of a container of Kubernetes or nerdctl, and the cgroup that
 * was asked for. */
static int read_bundle(struct reader *r, struct fields *fields, json_object *json)
{
	json_object *annotations = NULL, *linux_part = NULL;
	const char *cgroup;

	json_object_object_get_ex(json, "annotations", &annotations);
	json_object_object_get_ex(json, "linux", &linux_part);
	fields->name =
		either(annotations, "io.kubernetes.cri.container-name", "io.kubernetes.container.name");
	if (!fields->name)
		fields->name = string_of(annotations, "nerdctl/name");
	fields->pod = either(annotations, "io.kubernetes.cri.sandbox-name", "io.kubernetes.pod.name");
	fields->namespace =
		either(annotations, "io.kubernetes.cri.sandbox-namespace", "io.kubernetes.pod.namespace");
	fields->pod_uid = either(annotations, "io.kubernetes.cri.sandbox-uid", "io.kubernetes.pod.uid");
	/* "SLICE:PREFIX:ID" is for systemd and no path. */
	cgroup = string_of(linux_part, "cgroupsPath");
	fields->cgroup = cgroup && *cgroup == '/' ? cgroup : NULL;
	return add(r, fields);
}

/* containerd's file: NAMESPACE/ID/config.json */
static int read_task(struct reader *r, struct fields *fields, const char *path, json_object *json)
{
	char id[NAME_MAX + 1];

	fields->id = directory(path, 0, id);
	return read_bundle(r, fields, json);
}

/* CRI-O's file: ID/userdata/config.json; podman's has no such annotations. */
static int read_userdata(struct reader *r, struct fields *fields, const char *path, json_object *json)
{
	json_object *annotations = NULL;
	char id[NAME_MAX + 1];

	json_object_object_get_ex(json, "annotations", &annotations);
	if (!string_of(annotations, "io.kubernetes.pod.name"))
		return 0;
	fields->id = directory(path, 1, id);
	return read_bundle(r, fields, json);
}

/* runc's file: {"id": ..., "cgroup_paths": {"": "/sys/fs/cgroup/..."}}; "" is v2. */
static int read_runc(struct reader *r, struct fields *fields, const char *path, json_object *json)
{
	json_object *paths = NULL;
	const char *cgroup;

	json_object_object_get_ex(json, "cgroup_paths", &paths);
	cgroup = string_of(paths, "");
	fields->id = fields->name = string_of(json, "id");
	fields->cgroup = cgroup ? cgroup_tree__strip(r->tree, cgroup) : NULL;
	return add(r, fields);
}

/* crun's file, ID/status: {"cgroup-path": "/...", ...} */
static int read_crun(struct reader *r, struct fields *fields, const char *path, json_object *json)
{
	char id[NAME_MAX + 1];

	fields->id = fields->name = directory(path, 0, id);
	fields->cgroup = string_of(json, "cgroup-path");
	return add(r, fields);
}

struct source {
	const char *runtime;
	/* A pattern of glob(3); @ stands for the container's id or, where the file has that, for its name. */
	const char *files;
	/* NULL: the file's name is the container's name, its text the id. */
	int (*read)(struct reader *r, struct fields *fields, const char *path, json_object *json);
};

#define USER_DATA "/home/*/.local/share"
#define USER_RUN "/run/user/*"

/* The places where runtimes keep their state unless they are told otherwise. */
static const struct source sources[] = {
	{"docker", "/var/lib/docker/containers/@/config.v2.json", read_docker},
	{"docker", "/var/snap/docker/common/var-lib-docker/containers/@/config.v2.json", read_docker},
	{"docker", USER_DATA "/docker/containers/@/config.v2.json", read_docker},
	{"podman", "/var/lib/containers/storage/*-containers/{,volatile-}containers.json", read_storage},
	{"podman", "/run/containers/storage/*-containers/{,volatile-}containers.json", read_storage},
	{"podman", USER_DATA "/containers/storage/*-containers/{,volatile-}containers.json", read_storage},
	{"cri-o", "/run/containers/storage/*-containers/@/userdata/config.json", read_userdata},
	{"cri-o", "/var/lib/containers/storage/*-containers/@/userdata/config.json", read_userdata},
	{"containerd", "/run/{,k3s/}containerd/io.containerd.runtime.v2.task/*/@/config.json", read_task},
	{"containerd", "/var/lib/nerdctl/*/names/*/@", NULL},
	{"containerd", USER_DATA "/nerdctl/*/names/*/@", NULL},
	{"runc", "/run/runc/@/state.json", read_runc},
	{"runc", USER_RUN "/runc/@/state.json", read_runc},
	{"crun", "/run/crun/@/status", read_crun},
	{"crun", USER_RUN "/crun/@/status", read_crun},
};

/*
 * Reads as root a file that may be a user's, so nothing is expected of it: a FIFO must not stop us, a device
 * must not be read, an endless file must not fill the memory.
 */
static int read_file(const char *path, struct buf *text, uid_t *owner)
{
	_cleanup_close_ int fd = foreign_file__open_here(path);
	int err = fd < 0 ? fd : foreign_file__read(fd, FILE_SIZE_MAX, text);
	struct stat st;

	if (!err)
		err = fstat(fd, &st) ? -errno : 0;
	if (!err)
		*owner = st.st_uid;
	buf__add(text, "", 1);
	return err ? err : buf__error(text);
}

static int read_json(struct reader *r, const struct source *source, const char *path, const char *text)
{
	struct fields fields = {.runtime = source->runtime};
	json_object *json = json_tokener_parse(text);
	int err;

	if (!json)
		return -EINVAL;
	err = source->read(r, &fields, path, json);
	json_object_put(json);
	return err;
}

static int read_name(struct reader *r, const struct source *source, const char *path, char *text)
{
	const struct fields fields = {
		.runtime = source->runtime,
		.id = text,
		.name = strrchr(path, '/') + 1,
	};

	text[strcspn(text, " \n")] = '\0';
	return add(r, &fields);
}

/*
 * Returns the owner of the home directory, or of that below /run/user, in which the file was found; root for
 * other places. A file of root's may be there by a link of a user, who chose the names in its path.
 */
static uid_t owner_of_place(const struct reader *r, const char *path)
{
	static const char *const places[] = {USER_DATA, USER_RUN};
	size_t root = strlen(cgroup_tree__root(r->tree));
	_cleanup_free_ char *place = NULL;
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		size_t above = strcspn(places[i], "*"), name = strcspn(path + root + above, "/");

		if (strncmp(path + root, places[i], above))
			continue;
		place = strndup(path, root + above + name);
		/* If it is gone, the owner is nobody, and the file tells nothing. */
		return place && !foreign_file__stat(place, &st) ? st.st_uid : (uid_t)-1;
	}
	return 0;
}

static int read_state(struct reader *r, const struct source *source, const char *path)
{
	_cleanup_buf_ struct buf text = {0};
	int err = read_file(path, &text, &r->owner);

	if (!err && !r->owner)
		r->owner = owner_of_place(r, path);
	if (!err)
		err = source->read ? read_json(r, source, path, (const char *)text.data)
				   : read_name(r, source, path, (char *)text.data);
	if (err)
		file_errand__note(r->errand, "%s says nothing about containers: %s", path, strerror(-err));
	return err == -ENOMEM ? err : 0;
}

/* Reads the files of a source; the pattern @called takes the place of @. */
static int read_source(struct reader *r, const struct source *source, const char *called)
{
	const char *root = cgroup_tree__root(r->tree), *files = source->files;
	int before = (int)strcspn(files, "@");
	char pattern[PATH_MAX];
	glob_t found;
	int err = 0;

	if (snprintf(pattern, sizeof(pattern), "%s%.*s%s%s", root, before, files, files[before] ? called : "",
		     files + before + (files[before] != '\0')) >= PATH_MAX)
		return 0;
	switch (foreign_file__glob(pattern, GLOB_BRACE | GLOB_NOSORT, &found)) {
	case 0:
		break;
	case GLOB_NOSPACE:
		return -ENOMEM;
	default:
		return 0;
	}
	for (size_t i = 0; !err && i < found.gl_pathc; i++)
		err = read_state(r, source, found.gl_pathv[i]);
	globfree(&found);
	return err;
}

/* The daemon's answer: [{"Id": ..., "Names": ["/web"], ...}, ...] */
static int read_answer(struct reader *r, struct fields *fields, const char *path, json_object *json)
{
	json_object *names, *container;
	const char *name;
	size_t nr = json_object_is_type(json, json_type_array) ? json_object_array_length(json) : 0;

	for (size_t i = 0; i < nr; i++) {
		container = json_object_array_get_idx(json, i);
		if (!json_object_object_get_ex(container, "Names", &names) ||
		    !json_object_is_type(names, json_type_array))
			continue;
		name = json_object_get_string(json_object_array_get_idx(names, 0));
		fields->id = string_of(container, "Id");
		fields->name = name && *name == '/' ? name + 1 : name;
		if (add(r, fields) == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

/* Asks the daemon only if no file had a record of docker's: it may keep its files somewhere else. */
static int ask_docker(struct reader *r)
{
	static const struct source daemon = {"docker", "/run/docker.sock", read_answer};
	_cleanup_buf_ struct buf answer = {0};
	int err;

	for (size_t i = 0; i < r->states->nr; i++)
		if (!strcmp(r->states->all[i].runtime, daemon.runtime))
			return 0;
	r->owner = 0;
	err = docker_socket__containers(cgroup_tree__root(r->tree), &answer);
	if (!err)
		err = read_json(r, &daemon, daemon.files, (const char *)answer.data);
	if (err && err != -ENOENT)
		log_debug("docker's daemon says nothing about containers: %s", strerror(-err));
	return err == -ENOMEM ? err : 0;
}

/* Writes a pattern for @name, or for what begins with it; NULL for what cannot be the name of a file. */
static const char *to_pattern(const char *name, bool begins, char pattern[2 * NAME_MAX + 2])
{
	char *to = pattern;

	if (!*name || strlen(name) > NAME_MAX || strchr(name, '/') || !name[strspn(name, ".")])
		return NULL;
	while (*name) {
		if (strchr("\\*?[]{},~", *name))
			*to++ = '\\';
		*to++ = *name++;
	}
	strcpy(to, begins ? "*" : "");
	return pattern;
}

static int read_about(struct reader *r, const char *called)
{
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(sources); i++)
		if (strchr(sources[i].files, '@'))
			err = read_source(r, &sources[i], called);
	return err;
}

static int read_lists(struct reader *r)
{
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(sources); i++)
		if (!strchr(sources[i].files, '@'))
			err = read_source(r, &sources[i], "");
	return err;
}

static int read_clues(struct reader *r, const struct container_clues *clues)
{
	char pattern[2 * NAME_MAX + 2];
	int err = 0;

	for (size_t i = 0; !err && i < clues->nr; i++) {
		const struct container_clue *clue = &clues->all[i];

		if (to_pattern(clue->name, clue->begins, pattern))
			err = read_about(r, pattern);
	}
	return !err && clues->in_lists ? read_lists(r) : err;
}

static int read_all(struct reader *r)
{
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(sources); i++)
		err = read_source(r, &sources[i], "*");
	return err;
}

static char **text_of(struct container_state *s, size_t number)
{
	char **const texts[] = {&s->id, &s->name, &s->pod, &s->namespace, &s->pod_uid, &s->cgroup};

	return number < ARRAY_SIZE(texts) ? texts[number] : NULL;
}

/* Adds each record as it is, then its texts. The static one is at the same address in both processes. */
static void pack(const struct container_states *states, struct buf *b)
{
	char **text;

	for (size_t i = 0; i < states->nr; i++) {
		buf__add(b, &states->all[i], sizeof(states->all[i]));
		for (size_t j = 0; (text = text_of(&states->all[i], j)); j++)
			if (*text)
				buf__add(b, *text, strlen(*text) + 1);
	}
}

static int unpack(const struct buf *b, struct container_states *ret)
{
	char **text;
	int err = 0;

	for (size_t at = 0; !err && at < b->len;) {
		struct container_state *s = reallocarray(ret->all, ret->nr + 1, sizeof(*s));

		if (!s)
			return -ENOMEM;
		ret->all = s;
		s += ret->nr++;
		memcpy(s, b->data + at, sizeof(*s));
		at += sizeof(*s);
		if (s->is_last)
			log_warn("the files of uid %u name %u containers: no more of them are read", s->owner,
				 CONTAINER_STATES_OF_USER);
		for (size_t j = 0; (text = text_of(s, j)); j++)
			if (*text) {
				*text = copy_of((const char *)b->data + at, &err);
				at += strlen((const char *)b->data + at) + 1;
			}
	}
	return err;
}

struct wanted {
	const struct cgroup_tree *tree;
	const struct container_clues *clues; /* NULL: all records */
};

/* Runs in a process of its own, which ends then. */
static int read_files(void *ctx, struct file_errand *found)
{
	const struct wanted *wanted = ctx;
	struct container_states states = {0};
	struct reader r = {.tree = wanted->tree, .states = &states, .errand = found};
	int err = wanted->clues ? read_clues(&r, wanted->clues) : read_all(&r);

	pack(&states, &found->bytes);
	container_states__release(&states);
	return err;
}

/* Has the files read by one helper for all callers: a file system that did not answer is not asked again. */
static int have_read(struct wanted *wanted, struct container_states *ret)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct file_helper helper = {.fd = -1, .timeout = FILE_HELPER_TIME};
	_cleanup_file_errand_ struct file_errand found = {0};
	int err;

	pthread_mutex_lock(&lock);
	err = file_helper__run(&helper, read_files, wanted, &found);
	pthread_mutex_unlock(&lock);
	/* The helper has logged it, and paths of cgroups have names, too. */
	if (err == -ETIMEDOUT)
		return 0;
	return err ? err : unpack(&found.bytes, ret);
}

int container_states__read(const struct cgroup_tree *tree, struct container_states *ret)
{
	struct wanted wanted = {tree, NULL};
	struct reader r = {.tree = tree, .states = ret};
	int err = have_read(&wanted, ret);

	return err ? err : ask_docker(&r);
}

int container_states__read_about(const struct cgroup_tree *tree, const struct container_clues *clues,
				 struct container_states *ret)
{
	struct wanted wanted = {tree, clues};
	struct reader r = {.tree = tree, .states = ret};
	int err = have_read(&wanted, ret);

	return err || !clues->by_docker ? err : ask_docker(&r);
}

void container_states__release(struct container_states *states)
{
	while (states->nr)
		state__release(&states->all[--states->nr]);
	free(states->all);
	*states = (struct container_states){0};
}
