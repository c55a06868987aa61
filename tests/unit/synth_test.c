// SPDX-License-Identifier: GPL-2.0-only
/* Records of tasks, kernel and modules, and the kcore copy, from a /proc and /sys that the test writes. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "build_id_elf.h"
#include "capture/kernel_code/kcore_copy.h"
#include "capture/records/synth.h"
#include "check.h"
#include "perfdata/record.h"
#include "root_dir.h"
#include "symbols/kallsyms.h"

#define TRAILER 32
#define SPAN(s) ((struct span){s, sizeof(s) - 1})

static const char kallsyms[] =
	"ffffffff81000000 T _stext\nffffffff81000000 T _text\nffffffff81001800 T _etext\n"
	"ffffffffc0001010 t mod_fn\t[mod]\n";
static const char modules[] = "mod 8192 0 - Live 0xffffffffc0001000\n";

static struct file_helper helper;

static void put_state(const struct root_dir *root, int pid, int tid, const char *comm, int ppid,
		      const char *state)
{
	char name[128], text[512];

	snprintf(name, sizeof(name), "/proc/%d/task/%d/comm", pid, tid);
	snprintf(text, sizeof(text), "%s\n", comm);
	CHECK(root_dir__put(root, name, text));
	snprintf(name, sizeof(name), "/proc/%d/task/%d/status", pid, tid);
	snprintf(text, sizeof(text),
		 "Name:\t%s\nUmask:\t0022\nState:\t%s\nTgid:\t%d\nNgid:\t0\nPid:\t%d\nPPid:\t%d\n", comm,
		 state, pid, tid, ppid);
	CHECK(root_dir__put(root, name, text));
}

static void put_task(const struct root_dir *root, int pid, int tid, const char *comm, int ppid)
{
	put_state(root, pid, tid, comm, ppid, "S (sleeping)");
}

/* A namespace is told by the file that stands for it. */
static ino_t put_namespace(const struct root_dir *root, const char *path)
{
	char name[PATH_MAX];
	struct stat st = {0};

	CHECK(root_dir__put(root, path, ""));
	snprintf(name, sizeof(name), "%s%s", root->path, path);
	CHECK_EQ(stat(name, &st), 0);
	return st.st_ino;
}

static void put_machine(const struct root_dir *root)
{
	struct buf elf = elf_file(0xaa), id = notes(0x11);

	put_task(root, 50, 50, "fifteen-letters", 1);
	put_task(root, 50, 51, "thread", 1);
	put_task(root, 60, 60, "kworker/u8:0-events_unbound", 2);
	put_state(root, 80, 80, "ended", 1, "Z (zombie)");
	CHECK(root_dir__put(root, "/proc/60/maps", ""));
	CHECK(root_dir__put(root, "/proc/70/task/70/comm", "gone\n")); /* its status is not there any more */
	CHECK(root_dir__put(
		root, "/proc/50/maps",
		"00400000-00401000 r--p 00000000 08:01 77 /bin/a name\n"
		"00401000-00403000 r-xp 00001000 08:01 77 /bin/a name\n"
		"00500000-00501000 rwxs 00000000 00:00 0 \n"
		"nonsense\n"
		"00600000-00601000 r-xp 00000000 08:01 78 /lib/plain (deleted)\n"
		"7ff000000000-7ff000001000 r-xp 00000000 00:00 0                          [vdso]\n"));
	CHECK(root_dir__put_bytes(root, "/proc/50/map_files/401000-403000", elf.data, elf.len));
	CHECK(root_dir__put(root, "/proc/50/map_files/600000-601000", "no ELF file"));
	CHECK(root_dir__put_bytes(root, "/sys/kernel/notes", id.data, id.len));
	CHECK(root_dir__put_bytes(root, "/sys/module/mod/notes/.note.gnu.build-id", id.data + 20,
				  id.len - 20));
	buf__release(&elf);
	buf__release(&id);
}

/* Counts the records of @type in @b; the last of pid @pid is @last. */
static unsigned int count(const struct buf *b, uint32_t type, uint32_t pid,
			  const struct perf_event_header **last)
{
	const struct perf_event_header *h;
	unsigned int nr = 0;
	size_t pos = 0;
	uint32_t val;

	while ((h = record__next(buf__span(b), &pos))) {
		memcpy(&val, (const char *)h + 8, sizeof(val));
		if (h->type != type || val != pid)
			continue;
		*last = h;
		nr++;
	}
	CHECK_EQ(pos, b->len);
	return nr;
}

static bool has_record(const struct buf *b, uint32_t type, size_t name_at, const char *name)
{
	const struct perf_event_header *h;
	size_t pos = 0;

	while ((h = record__next(buf__span(b), &pos)))
		if (h->type == type && !strcmp((const char *)h + name_at, name))
			return true;
	return false;
}

static void test_tasks(const struct root_dir *root)
{
	_cleanup_buf_ struct buf out = {0};
	_cleanup_(cleanup__build_id_set) struct build_id_set *ids = NULL;
	const struct perf_event_header *last = NULL;
	struct synth synth = {.root = root->path, .trailer = TRAILER, .out = &out};

	if (!CHECK_EQ(build_id_set__new(&ids), 0))
		return;
	synth.ids = ids;
	synth.helper = &helper;
	CHECK_EQ(synth__tasks(&synth), 0);
	CHECK_EQ(count(&out, PERF_RECORD_FORK, 50, &last), 2);
	CHECK_EQ(count(&out, PERF_RECORD_FORK, 60, &last), 1);
	CHECK_EQ(count(&out, PERF_RECORD_FORK, 70, &last), 0);
	CHECK_EQ(count(&out, PERF_RECORD_FORK, 80, &last), 0);
	CHECK(has_record(&out, PERF_RECORD_COMM, 16, "fifteen-letters"));
	CHECK(has_record(&out, PERF_RECORD_COMM, 16, "kworker/u8:0-ev"));
	CHECK_EQ(count(&out, PERF_RECORD_MMAP2, 50, &last), 4);
	CHECK(has_record(&out, PERF_RECORD_MMAP2, 72, "/bin/a name"));
	CHECK(has_record(&out, PERF_RECORD_MMAP2, 72, "//anon"));
	CHECK(has_record(&out, PERF_RECORD_MMAP2, 72, "/lib/plain (deleted)"));
	CHECK(has_record(&out, PERF_RECORD_MMAP2, 72, "[vdso]"));
	CHECK(memmem(out.data, out.len, "\x14\0\0\0\xaa\0", 6));
	CHECK_EQ(build_id_set__table(ids).len, 36 + 16); /* the one with a build id */
}

static size_t count_maps(const struct buf *b, uint32_t pid)
{
	const struct perf_event_header *last;

	return count(b, PERF_RECORD_MMAP2, pid, &last);
}

/* Those of process 20 are many, of 30 to 35 few. */
static void put_crowd(const struct root_dir *root)
{
	_cleanup_buf_ struct buf text = {0};
	char line[128];

	for (unsigned int i = 0; i < 3000; i++) {
		snprintf(line, sizeof(line), "%08x000-%08x000 r-xp 00000000 00:00 0 /bin/many\n", 2 * i + 16,
			 2 * i + 17);
		buf__add(&text, line, strlen(line));
	}
	put_task(root, 20, 20, "many", 1);
	CHECK(root_dir__put_bytes(root, "/proc/20/maps", text.data, text.len));
	for (int pid = 30; pid <= 35; pid++) {
		put_task(root, pid, pid, "few", 1);
		snprintf(line, sizeof(line), "/proc/%d/maps", pid);
		CHECK(root_dir__put(root, line,
				    "00400000-00401000 r-xp 00000000 00:00 0 /bin/few\n"
				    "00500000-00501000 r-xp 00000000 00:00 0 /bin/few\n"));
	}
	put_task(root, 34, 134, "thread", 1);
}

static void read_crowd(struct synth *synth, const struct root_dir *root, struct buf *out, unsigned int *cut)
{
	_cleanup_(cleanup__build_id_set) struct build_id_set *ids = NULL;

	buf__truncate(out, 0);
	*cut = 0;
	if (!CHECK_EQ(build_id_set__new(&ids), 0))
		return;
	synth->root = root->path;
	synth->out = out;
	synth->ids = ids;
	synth->cut = cut;
	synth->helper = &helper;
	CHECK_EQ(synth__tasks(synth), 0);
}

/* A record is 88 bytes. What one has mapped takes no room from others, and not the time from the first. */
static void test_limits(void)
{
	static const int first[] = {35, 134, 99};
	_cleanup_buf_ struct buf out = {0};
	const struct perf_event_header *last;
	struct synth synth = {0};
	struct root_dir root;
	unsigned int cut;

	if (!CHECK(root_dir__make(&root)))
		return;
	put_crowd(&root);
	CHECK(root_dir__put(&root, "/proc/134/task/134/comm", "thread\n"));
	CHECK(root_dir__put(&root, "/proc/134/task/134/status", "Name:\tthread\nTgid:\t34\nPPid:\t1\n"));
	read_crowd(&synth, &root, &out, &cut);
	CHECK_EQ(count_maps(&out, 20), 3000);
	CHECK_EQ(cut, 0);
	synth.max_maps = 88 * 2 * 100;
	read_crowd(&synth, &root, &out, &cut);
	CHECK(count_maps(&out, 20) >= 80 && count_maps(&out, 20) <= 101);
	for (uint32_t pid = 30; pid <= 35; pid++)
		CHECK_EQ(count_maps(&out, pid), 2);
	CHECK_EQ(cut, 1);
	/* The time is over. */
	synth.first = first;
	synth.nr_first = ARRAY_SIZE(first);
	synth.until = 1;
	read_crowd(&synth, &root, &out, &cut);
	CHECK_EQ(count_maps(&out, 20), 0);
	CHECK_EQ(count_maps(&out, 34), 2);
	CHECK_EQ(count_maps(&out, 35), 2);
	CHECK_EQ(count_maps(&out, 30), 0);
	/* This /proc lists the thread among processes. */
	for (uint32_t pid = 30; pid <= 35; pid++)
		CHECK_EQ(count(&out, PERF_RECORD_FORK, pid, &last), pid == 34 ? 3 : 1);
	CHECK_EQ(cut, 5);
	root_dir__remove(&root);
}

static void test_namespaces(const struct root_dir *root)
{
	_cleanup_buf_ struct buf out = {0};
	_cleanup_(cleanup__build_id_set) struct build_id_set *ids = NULL;
	const ino_t net = put_namespace(root, "/proc/50/task/51/ns/net");
	const ino_t mnt = put_namespace(root, "/proc/50/task/51/ns/mnt");
	const struct perf_event_header *last = NULL;
	struct synth synth = {.root = root->path, .trailer = TRAILER, .out = &out, .namespaces = true};
	struct record_namespaces ns;

	if (!CHECK_EQ(build_id_set__new(&ids), 0))
		return;
	synth.ids = ids;
	synth.helper = &helper;
	CHECK_EQ(synth__tasks(&synth), 0);
	CHECK_EQ(count(&out, PERF_RECORD_NAMESPACES, 60, &last), 0); /* nobody may look */
	CHECK_EQ(count(&out, PERF_RECORD_NAMESPACES, 50, &last), 1);
	if (!CHECK(last && record__namespaces(last, &ns)))
		return;
	CHECK_EQ(ns.tid, 51);
	CHECK_EQ(ns.links[NET_NS_INDEX].ino, net);
	CHECK_EQ(ns.links[MNT_NS_INDEX].ino, mnt);
	CHECK_EQ(ns.links[UTS_NS_INDEX].ino, 0);
}

static void test_kernel(const struct root_dir *root)
{
	static const char hidden[] =
		"0000000000000000 T _stext\n0000000000000000 T _text\n0000000000000000 T _etext\n";
	_cleanup_buf_ struct buf out = {0};
	_cleanup_(cleanup__build_id_set) struct build_id_set *ids = NULL;
	struct synth synth = {.root = root->path, .trailer = TRAILER, .out = &out};
	struct span table;

	if (!CHECK_EQ(build_id_set__new(&ids), 0))
		return;
	synth.ids = ids;
	CHECK_EQ(synth__kernel(&synth, SPAN(hidden), SPAN(modules)), -EACCES);
	CHECK_EQ(synth__kernel(&synth, SPAN(kallsyms), SPAN(modules)), 0);
	CHECK(has_record(&out, PERF_RECORD_MMAP, 40, "[kernel.kallsyms]_text"));
	CHECK(has_record(&out, PERF_RECORD_MMAP, 40, "[mod]"));
	table = build_id_set__table(ids);
	CHECK_EQ(table.len, 36 + 24 + 36 + 8);
	CHECK_EQ(((const uint8_t *)table.data)[12], 0x11);
}

/* A kcore whose one segment, the kernel's text, is bytes of 'k'. */
static void put_kcore(const struct root_dir *root)
{
	_cleanup_buf_ struct buf b = {0};
	const Elf64_Ehdr ehdr = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_CORE,
		.e_machine = EM_X86_64,
		.e_phoff = sizeof(ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
	};
	const Elf64_Phdr phdr = {
		.p_type = PT_LOAD,
		.p_offset = 4096,
		.p_vaddr = 0xffffffff81000000,
		.p_memsz = 8192,
	};

	buf__add(&b, &ehdr, sizeof(ehdr));
	buf__add(&b, &phdr, sizeof(phdr));
	buf__align(&b, 4096);
	buf__add(&b, NULL, 8192);
	memset(b.data + 4096, 'k', 8192);
	CHECK(root_dir__put_bytes(root, "/proc/kcore", b.data, b.len));
}

static struct kcore_files open_copies(void)
{
	return (struct kcore_files){
		.kcore = memfd_create("kcore", 0),
		.kallsyms = memfd_create("kallsyms", 0),
		.modules = memfd_create("modules", 0),
	};
}

static void close_copies(const struct kcore_files *files)
{
	close(files->kcore);
	close(files->kallsyms);
	close(files->modules);
}

static void test_kcore(const struct root_dir *root)
{
	const struct kcore_files files = open_copies();
	struct kcore_layout copied = {0};
	struct kernel_texts texts = {0};
	_cleanup_close_ int kcore = -1;
	char byte = 0;

	CHECK(root_dir__put(root, "/proc/kallsyms", kallsyms));
	CHECK(root_dir__put(root, "/proc/modules", modules));
	if (!CHECK_EQ(kernel_texts__copy(root->path, &files, &texts), 0))
		return;
	CHECK_EQ(texts.kallsyms.len, sizeof(kallsyms) - 1);
	CHECK_EQ(kcore__copy(root->path, -ENOENT, &files, &texts, NULL, 0, &copied), -ENOENT);
	put_kcore(root);
	kcore = path__open(root->path, "/proc/kcore");
	if (CHECK_EQ(kcore__copy(root->path, kcore, &files, &texts, NULL, 0, &copied), 0)) {
		CHECK_EQ(copied.nr, 1); /* the module is in no segment of this kcore */
		CHECK_EQ(kcore_layout__bytes(&copied), 8192);
		CHECK_EQ(pread(files.kcore, &byte, 1, (off_t)copied.segments[0].to + 8191), 1);
		CHECK_EQ(byte, 'k');
	}
	kcore_layout__release(&copied);
	CHECK(root_dir__put(root, "/proc/modules", "other 8192 0 - Live 0xffffffffc0001000\n"));
	CHECK_EQ(kcore__copy(root->path, kcore, &files, &texts, NULL, 0, &copied), -EAGAIN);
	kcore_layout__release(&copied);
	kernel_texts__release(&texts);
	close_copies(&files);
}

int main(void)
{
	struct root_dir root;

	if (!CHECK(root_dir__make(&root)))
		return check__done();
	file_helper__init(&helper, 600000);
	put_machine(&root);
	test_tasks(&root);
	test_namespaces(&root);
	test_kernel(&root);
	test_kcore(&root);
	test_limits();
	file_helper__release(&helper);
	root_dir__remove(&root);
	return check__done();
}
