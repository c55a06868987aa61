// SPDX-License-Identifier: GPL-2.0-only
#include "summary/notify.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/log.h"

/*
 * Makes the address of a path, or of "@NAME" for the abstract name "\0NAME". Its length, or a negative errno.
 */
static int make_address(const char *name, struct sockaddr_un *address)
{
	size_t len = strlen(name);

	if (*name != '/' && *name != '@')
		return -EAFNOSUPPORT;
	if (len < 2 || len >= sizeof(address->sun_path))
		return -EINVAL;
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(address->sun_path, name, len);
	if (*name == '@')
		address->sun_path[0] = '\0';
	return (int)(offsetof(struct sockaddr_un, sun_path) + len);
}

static int send_to(const char *name, const char *state)
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un address;
	int len = make_address(name, &address);

	if (fd < 0)
		return -errno;
	if (len < 0)
		return len;
	if (sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&address,
		   (socklen_t)len) < 0)
		return -errno;
	return 0;
}

int notify__send(const char *state)
{
	const char *name = getenv("NOTIFY_SOCKET");
	int err = name && *name ? send_to(name, state) : 0;

	if (err)
		log_debug("cannot tell the service manager at %s: %s", name, strerror(-err));
	return err;
}
