// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "check.h"
#include "rules/names.h"

#define CHECK_NAME(name, want_kind)                           \
	do {                                                  \
		enum name_kind kind;                          \
		int64_t val = 0;                              \
                                                              \
		CHECK_EQ(names__find(#name, &kind, &val), 0); \
		CHECK_EQ(kind, want_kind);                    \
		if (!CHECK_EQ(val, name))                     \
			fprintf(stderr, "%s\n", #name);       \
	} while (0)

static void test_errnos(void)
{
	CHECK_NAME(EPERM, NAME_ERRNO);
	CHECK_NAME(ENOENT, NAME_ERRNO);
	CHECK_NAME(EAGAIN, NAME_ERRNO);
	CHECK_NAME(EWOULDBLOCK, NAME_ERRNO);
	CHECK_NAME(ENOTSUP, NAME_ERRNO);
	CHECK_NAME(EOPNOTSUPP, NAME_ERRNO);
	CHECK_NAME(EDEADLOCK, NAME_ERRNO);
	CHECK_NAME(ENOSYS, NAME_ERRNO);
	CHECK_NAME(EHWPOISON, NAME_ERRNO);
}

static void test_signals(void)
{
	CHECK_NAME(SIGHUP, NAME_SIGNAL);
	CHECK_NAME(SIGSEGV, NAME_SIGNAL);
	CHECK_NAME(SIGPOLL, NAME_SIGNAL);
	CHECK_NAME(SIGIO, NAME_SIGNAL);
	CHECK_NAME(SIGIOT, NAME_SIGNAL);
	CHECK_NAME(SIGSYS, NAME_SIGNAL);
}

/* The names whose values are written down, as the kernel's headers for programs have none. */
static void test_sockets(void)
{
	CHECK_NAME(AF_UNSPEC, NAME_FLAG);
	CHECK_NAME(AF_UNIX, NAME_FLAG);
	CHECK_NAME(AF_LOCAL, NAME_FLAG);
	CHECK_NAME(AF_INET, NAME_FLAG);
	CHECK_NAME(AF_INET6, NAME_FLAG);
	CHECK_NAME(AF_NETLINK, NAME_FLAG);
	CHECK_NAME(AF_PACKET, NAME_FLAG);
	CHECK_NAME(AF_ALG, NAME_FLAG);
	CHECK_NAME(AF_VSOCK, NAME_FLAG);
	CHECK_NAME(AF_XDP, NAME_FLAG);
	CHECK_NAME(SOCK_STREAM, NAME_FLAG);
	CHECK_NAME(SOCK_DGRAM, NAME_FLAG);
	CHECK_NAME(SOCK_RAW, NAME_FLAG);
	CHECK_NAME(SOCK_SEQPACKET, NAME_FLAG);
	CHECK_NAME(SOCK_CLOEXEC, NAME_FLAG);
	CHECK_NAME(SOCK_NONBLOCK, NAME_FLAG);
	CHECK_NAME(MSG_PEEK, NAME_FLAG);
	CHECK_NAME(MSG_DONTWAIT, NAME_FLAG);
	CHECK_NAME(MSG_ERRQUEUE, NAME_FLAG);
	CHECK_NAME(MSG_NOSIGNAL, NAME_FLAG);
	CHECK_NAME(MSG_MORE, NAME_FLAG);
	CHECK_NAME(MSG_ZEROCOPY, NAME_FLAG);
}

static void test_flags(void)
{
	CHECK_NAME(O_CREAT, NAME_FLAG);
	CHECK_NAME(O_DIRECTORY, NAME_FLAG);
	CHECK_NAME(O_ASYNC, NAME_FLAG);
	CHECK_NAME(O_TMPFILE, NAME_FLAG);
	CHECK_NAME(AT_FDCWD, NAME_FLAG);
	CHECK_NAME(PROT_EXEC, NAME_FLAG);
	CHECK_NAME(MAP_ANON, NAME_FLAG);
	CHECK_NAME(F_SETLKW, NAME_FLAG);
}

static void test_no_doubles(void)
{
	for (size_t i = 0; i < names_nr_flags; i++) {
		for (size_t j = 0; j < i; j++)
			CHECK(strcmp(names_flags[i].name, names_flags[j].name));
	}
}

static void test_unknown(void)
{
	struct nearest near = {0};
	enum name_kind kind;
	char text[256];
	int64_t val;

	CHECK_EQ(names__find("", &kind, &val), -ENOENT);
	CHECK_EQ(names__find("SIG", &kind, &val), -ENOENT);
	CHECK_EQ(names__find("TERM", &kind, &val), -ENOENT);
	CHECK_EQ(names__find("o_creat", &kind, &val), -ENOENT);
	names__offer(&near, "SIGTREM");
	nearest__format(&near, text, sizeof(text));
	CHECK(strstr(text, "SIGTERM"));
}

static void check_signal(int nr, const char *name)
{
	char text[32];

	names__signal(nr, text, sizeof(text));
	CHECK_STREQ(text, name);
}

static void test_of_numbers(void)
{
	CHECK_STREQ(names__errno(ENOENT), "ENOENT");
	CHECK_STREQ(names__errno(EHWPOISON), "EHWPOISON");
	CHECK_STREQ(names__errno(512), "ERESTARTSYS");
	CHECK(!names__errno(0));
	CHECK(!names__errno(-ENOENT));
	CHECK(!names__errno(4095));
	check_signal(SIGSEGV, "SIGSEGV");
	check_signal(SIGSYS, "SIGSYS");
	check_signal(32, "SIGRTMIN+0");
	check_signal(64, "SIGRTMIN+32");
	check_signal(0, "");
	check_signal(65, "");
	check_signal(-1, "");
}

static void test_softirqs(void)
{
	struct nearest near = {0};
	uint64_t nr;

	CHECK_EQ(names__find_softirq("NET_RX", &nr), 0);
	CHECK_EQ(nr, 3);
	CHECK_EQ(names__find_softirq("rcu", &nr), 0);
	CHECK_EQ(nr, 9);
	CHECK_EQ(names__find_softirq("", &nr), -ENOENT);
	CHECK_EQ(names__find_softirq("NET", &nr), -ENOENT);
	CHECK_STREQ(names__softirq(0), "HI");
	CHECK_STREQ(names__softirq(9), "RCU");
	CHECK(!names__softirq(10) && !names__softirq(UINT64_MAX));
	names__offer_softirqs(&near, "hrtimr");
	CHECK(near.nr && !strcmp(near.names[0], "HRTIMER"));
}

int main(void)
{
	test_of_numbers();
	test_softirqs();
	test_errnos();
	test_signals();
	test_sockets();
	test_flags();
	test_no_doubles();
	test_unknown();
	return check__done();
}
