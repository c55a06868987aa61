// SPDX-License-Identifier: GPL-2.0-only
#include "capture/kernel_code/kcore_copy.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "base/path.h"
#include "files/stage.h"
#include "symbols/kallsyms.h"

#define CHUNK (1024 * 1024)

/* Copies all of @from, a file of /proc without a size. Returns the length or a negative errno. */
static ssize_t copy_all(int from, int to)
{
	_cleanup_free_ char *chunk = malloc(CHUNK);
	size_t len = 0;
	ssize_t n;
	int err;

	if (!chunk)
		return -ENOMEM;
	if (ftruncate(to, 0))
		return -errno;
	while ((n = read(from, chunk, CHUNK)) > 0) {
		err = stage__write_at(to, len, (struct span){chunk, (size_t)n});
		if (err)
			return err;
		len += (size_t)n;
	}
	return n < 0 ? -errno : (ssize_t)len;
}

static int copy_text(const char *root, const char *path, int to, struct span *ret)
{
	_cleanup_close_ int from = path__open(root, "%s", path);
	ssize_t len = from < 0 ? from : copy_all(from, to);
	void *map;

	*ret = (struct span){NULL, 0};
	if (len <= 0)
		return (int)len;
	map = mmap(NULL, (size_t)len, PROT_READ, MAP_SHARED, to, 0);
	if (map == MAP_FAILED)
		return -errno;
	*ret = (struct span){map, (size_t)len};
	return 0;
}

static int log_copy(const char *path, int err)
{
	if (err)
		log_err("cannot copy %s: %s", path, strerror(-err));
	return err;
}

int kernel_texts__copy(const char *root, const struct kcore_files *to, struct kernel_texts *ret)
{
	int err = log_copy("/proc/kallsyms", copy_text(root, "/proc/kallsyms", to->kallsyms, &ret->kallsyms));

	ret->modules = (struct span){NULL, 0};
	if (err)
		return err;
	err = copy_text(root, "/proc/modules", to->modules, &ret->modules);
	if (err == -ENOENT) /* a kernel without modules */
		err = 0;
	if (err)
		kernel_texts__release(ret);
	return log_copy("/proc/modules", err);
}

static void unmap(struct span *span)
{
	if (span->len)
		munmap((void *)(uintptr_t)span->data, span->len);
	*span = (struct span){NULL, 0};
}

void kernel_texts__release(struct kernel_texts *texts)
{
	unmap(&texts->kallsyms);
	unmap(&texts->modules);
}

static int read_at(int fd, uint64_t offset, char *data, size_t len)
{
	while (len) {
		ssize_t n = pread(fd, data, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		data += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

/* Appends the header of kcore and all program headers to @elf. */
static int read_elf(int kcore, struct buf *elf)
{
	char head[64];
	size_t len;
	int err = read_at(kcore, 0, head, sizeof(head));

	if (!err)
		err = kcore_layout__elf_len((struct span){head, sizeof(head)}, &len);
	if (err)
		return err;
	buf__add(elf, NULL, len);
	err = buf__error(elf);
	return err ? err : read_at(kcore, 0, (char *)elf->data, len);
}

static int copy_segment(int from, int to, const struct kcore_segment *seg, char *chunk)
{
	uint64_t done = 0;
	int err = 0;

	while (!err && done < seg->copied) {
		size_t len = seg->copied - done < CHUNK ? seg->copied - done : CHUNK;

		err = read_at(from, seg->from + done, chunk, len);
		if (!err)
			err = stage__write_at(to, seg->to + done, (struct span){chunk, len});
		done += len;
	}
	return err;
}

static int copy_segments(int from, int to, const struct kcore_layout *layout)
{
	_cleanup_free_ char *chunk = malloc(CHUNK);
	_cleanup_buf_ struct buf headers = {0};
	size_t i;
	int err;

	kcore_layout__add_headers(layout, &headers);
	err = chunk ? buf__error(&headers) : -ENOMEM;
	if (!err && ftruncate(to, 0))
		err = -errno;
	if (!err)
		err = stage__write_at(to, 0, buf__span(&headers));
	for (i = 0; !err && i < layout->nr; i++)
		err = copy_segment(from, to, &layout->segments[i], chunk);
	return err;
}

/* Hides _stext from readers that must not take it for a function. The mapped text changes with the file. */
static int hide_symbol(const struct kernel_texts *texts, int to, const struct kcore_layout *layout)
{
	size_t at;

	if (!kcore_layout__hides(layout, texts->kallsyms, &at))
		return 0;
	return stage__write_at(to, at, (struct span){"D", 1});
}

/* Whether the modules are still those in the text. */
static bool modules_are(const char *root, struct span before)
{
	_cleanup_buf_ struct buf now = {0};
	_cleanup_close_ int fd = path__open(root, "/proc/modules");
	char chunk[4096];
	ssize_t n;

	while (fd >= 0 && (n = read(fd, chunk, sizeof(chunk))) > 0)
		buf__add(&now, chunk, (size_t)n);
	return !buf__error(&now) && kallsyms__same_modules(before, buf__span(&now));
}

static int log_kcore(int err)
{
	if (err == -ENOENT)
		log_err("there is no /proc/kcore: the kernel's code cannot be copied (CONFIG_PROC_KCORE)");
	else if (err == -EACCES)
		log_err("/proc/kallsyms shows no addresses: set kernel.kptr_restrict to 0 or 1 and run as "
			"root");
	else if (err == -EPERM)
		log_err("cannot read /proc/kcore: it needs CAP_SYS_RAWIO and a kernel that is not locked "
			"down");
	else if (err)
		log_err("cannot copy the kernel's code from /proc/kcore: %s", strerror(-err));
	return err;
}

static int read_kcore(void *ctx, uint64_t from, void *data, size_t len)
{
	const int *kcore = ctx;

	return read_at(*kcore, from, data, len);
}

int kcore__copy(const char *root, int from, const struct kcore_files *to, const struct kernel_texts *texts,
		const struct code_range *bpf, size_t nr_bpf, struct kcore_layout *copied)
{
	_cleanup_buf_ struct buf elf = {0};
	struct kcore_input in = {
		.kallsyms = texts->kallsyms,
		.modules = texts->modules,
		.bpf = bpf,
		.nr_bpf = nr_bpf,
		.page_size = (uint64_t)sysconf(_SC_PAGESIZE),
		.read = read_kcore,
		.ctx = &from,
	};
	int err = from < 0 ? from : read_elf(from, &elf);

	if (err)
		return log_kcore(err);
	in.elf = buf__span(&elf);
	err = kcore_layout__make(&in, copied);
	if (!err)
		err = copy_segments(from, to->kcore, copied);
	if (!err)
		err = hide_symbol(texts, to->kallsyms, copied);
	if (!err && !modules_are(root, texts->modules))
		return -EAGAIN;
	return log_kcore(err);
}
