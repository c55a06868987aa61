// SPDX-License-Identifier: GPL-2.0-only
/*
 * A root with processes: 10 and 11 in one container, 20 in another, 30 in none. Programs are copies of this
 * one; which file was found shows by its inode.
 */
#include "symbols/user_function.h"

#include <errno.h>
#include <fcntl.h>

#include "base/buf.h"
#include "check.h"
#include "files/foreign_file.h"
#include "root_dir.h"
#include "said.h"

int user_probe(int x);
__attribute__((noinline, used)) int user_probe(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

static bool run(const struct root_dir *root, const char *command)
{
	char line[1024];

	snprintf(line, sizeof(line), "cd %s && { %s; }", root->path, command);
	return !system(line);
}

/* What is logged meanwhile, in @text. */
static int find(const struct root_dir *root, const char *where, const int *pids, size_t nr_pids,
		struct user_functions *ret, char *text, size_t size)
{
	struct function_name spec;
	char message[256];
	struct file_helper helper;
	struct said begun;
	int err;

	*ret = (struct user_functions){0};
	if (!CHECK(!function_name__parse(where, &spec, message, sizeof(message))))
		return -EINVAL;
	begun = said__begin();
	file_helper__init(&helper, 600000);
	err = user_function__find(root->path, &spec, pids, nr_pids, false, &helper, ret);
	file_helper__release(&helper);
	said__end(begun, text, size);
	function_name__release(&spec);
	return err;
}

static bool has_file(const struct root_dir *root, const struct user_functions *functions, const char *file)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s%s", root->path, file);
	if (stat(path, &st))
		return false;
	for (size_t i = 0; i < functions->nr; i++)
		if (functions->items[i].ino == st.st_ino && functions->items[i].dev == st.st_dev)
			return true;
	return false;
}

static void check_found(const struct root_dir *root, const char *where, const int *pids, size_t nr_pids,
			const char *const *files)
{
	struct user_functions found;
	char text[1024];
	size_t nr = 0;

	if (!CHECK_EQ(find(root, where, pids, nr_pids, &found, text, sizeof(text)), 0))
		fprintf(stderr, "%s: %s\n", where, text);
	CHECK_STREQ(text, "");
	for (; files[nr]; nr++)
		if (!CHECK(has_file(root, &found, files[nr])))
			fprintf(stderr, "%s: not found: %s\n", where, files[nr]);
	CHECK_EQ(found.nr, nr);
	for (size_t i = 0; i < found.nr; i++)
		CHECK(found.items[i].offset && fcntl(found.items[i].fd, F_GETFD) == FD_CLOEXEC);
	user_functions__release(&found);
}

#define FILES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_paths(const struct root_dir *root)
{
	static const int first[] = {10, 11}, both[] = {10, 20, 11}, host[] = {30}, gone[] = {99, 20};

	check_found(root, "/usr/bin/app:user_probe", NULL, 0, FILES("/usr/bin/app"));
	check_found(root, "/usr/bin/app:user_probe", first, 2, FILES("/c1/usr/bin/app"));
	check_found(root, "/usr/bin/app:user_probe", both, 3, FILES("/c1/usr/bin/app", "/c2/usr/bin/app"));
	check_found(root, "/usr/bin/app:user_probe", host, 1, FILES("/usr/bin/app"));
	check_found(root, "/usr/bin/app:user_probe", gone, 2, FILES("/c2/usr/bin/app"));
	/* Absolute links stay inside of the container. */
	check_found(root, "/bin/link:user_probe", first, 2, FILES("/c1/usr/bin/app"));
	/* Only there, only here. */
	check_found(root, "/opt/own:user_probe", first, 1, FILES("/c1/opt/own"));
	check_found(root, "/opt/host:user_probe", first, 1, FILES("/opt/host"));
	/* What the process has mapped was replaced since. */
	check_found(root, "/opt/replaced:user_probe", &both[1], 1, FILES("/mapped", "/c2/opt/replaced"));
}

static void test_names(const struct root_dir *root)
{
	static const int first[] = {10}, second[] = {20};

	check_found(root, "libown:user_probe", NULL, 0, FILES("/lib/libown.so.1"));
	check_found(root, "libown.so.1:user_probe", NULL, 0, FILES("/lib/libown.so.1"));
	check_found(root, "libown:user_probe", second, 1, FILES("/mapped_lib"));
	check_found(root, "libown:user_probe", first, 1, FILES("/lib/libown.so.1"));
	check_found(root, "app:user_probe", NULL, 0, FILES("/usr/bin/app"));
}

static void check_error(const struct root_dir *root, const char *where, const int *pids, size_t nr_pids,
			int expected, const char *says)
{
	struct user_functions found;
	char text[1024];

	CHECK_EQ(find(root, where, pids, nr_pids, &found, text, sizeof(text)), expected);
	if (!CHECK(strstr(text, says) && strchr(text, '\n') == strrchr(text, '\n')))
		fprintf(stderr, "%s: %s\n", where, text);
	CHECK(!found.nr && !found.items);
}

static void test_errors(const struct root_dir *root)
{
	static const int first[] = {10};

	check_error(root, "/usr/bin/none:main", NULL, 0, -ENOENT, "there is no file /usr/bin/none");
	check_error(root, "/usr/bin/app/x:main", NULL, 0, -ENOENT, "there is no file /usr/bin/app/x");
	check_error(root, "/loop:main", NULL, 0, -ELOOP, "cannot open /loop: Too many levels");
	check_error(root, "/usr/bin/app:user_prob", NULL, 0, -ENOENT, "did you mean user_probe");
	check_error(root, "/usr/bin/app:user_prob", first, 1, -ENOENT,
		    "/usr/bin/app of process 10 has no function 'user_prob'; did you mean user_probe");
	check_error(root, "/etc/ld.so.cache:main", NULL, 0, -ENOEXEC, "/etc/ld.so.cache is not an ELF file");
	check_error(root, "/etc:main", NULL, 0, FOREIGN_FILE_NOT_REGULAR, "/etc is no regular file");
	check_error(root, "libow:main", NULL, 0, -ENOENT, "'libow'; did you mean libown.so.1?");
	check_error(root, "zzzz:main", NULL, 0, -ENOENT, "'zzzz'; name it with its path");
	check_error(root, "ext4:ext4_sync_file", NULL, 0, -ENOENT, "without it: ext4_sync_file");
	check_error(root, "/usr/bin/go:main.main", NULL, 0, -EOPNOTSUPP, "/usr/bin/go is written in Go");
}

static void put_ld_cache(const struct root_dir *root)
{
	static const char strings[] = "libown.so.1\0/lib/libown.so.1";
	_cleanup_buf_ struct buf b = {0};

	buf__add(&b, "glibc-ld.so.cache1.1", 20);
	buf__add_u32(&b, 1);
	buf__add_u32(&b, sizeof(strings));
	buf__add(&b, NULL, 20);
	buf__add_u32(&b, 0x303);
	buf__add_u32(&b, 48 + 24);
	buf__add_u32(&b, 48 + 24 + 12);
	buf__add(&b, NULL, 12);
	buf__add(&b, strings, sizeof(strings));
	CHECK(root_dir__put_bytes(root, "/etc/ld.so.cache", b.data, b.len));
}

static bool put_machine(const struct root_dir *root)
{
	put_ld_cache(root);
	return run(root, "mkdir -p usr/bin lib opt bin c1/usr/bin c1/bin c1/opt c2/usr/bin c2/opt "
			 "proc/10 proc/11 proc/20/map_files proc/30 sys/module/ext4 && "
			 "for f in usr/bin/app lib/libown.so.1 opt/host mapped mapped_lib c1/usr/bin/app "
			 "c1/opt/own "
			 "c2/usr/bin/app c2/opt/replaced; do cp /proc/$PPID/exe $f || exit 1; done && "
			 "objcopy --add-section .go.buildinfo=etc/ld.so.cache usr/bin/app usr/bin/go && "
			 "ln -s /usr/bin/app c1/bin/link && ln -s loop loop && "
			 "ln -s $PWD/c1 proc/10/root && ln -s $PWD/c1 proc/11/root && "
			 "ln -s $PWD/c2 proc/20/root && ln -s $PWD proc/30/root && "
			 "ln -s $PWD/mapped proc/20/map_files/1000-2000 && "
			 "ln -s $PWD/mapped_lib proc/20/map_files/3000-4000") &&
	       root_dir__put(root, "/proc/20/maps",
			     "1000-2000 r-xp 00001000 00:1f 77    /opt/replaced (deleted)\n"
			     "2000-3000 r--p 00000000 00:1f 78    /lib/libown.so.1\n"
			     "3000-4000 r-xp 00001000 00:1f 78    /lib/libown.so.1\n"
			     "nonsense\n"
			     "5000-6000 r-xp 00000000 00:00 0 \n"
			     "7000-8000 r-xp 00000000 00:00 0     [vdso]\n");
}

int main(void)
{
	struct root_dir root;

	if (!CHECK(root_dir__make(&root)))
		return check__done();
	if (CHECK(put_machine(&root))) {
		test_paths(&root);
		test_names(&root);
		test_errors(&root);
	}
	root_dir__remove(&root);
	return check__done();
}
