// SPDX-License-Identifier: GPL-2.0-only
#include "shared_sink.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "etr.h"
#include "guest.h"

static const struct etr_memory memory = {.read = guest__read_physical, .write = guest__write_physical};

/* The machine's: there is one, and vCPUs come to it in any order. */
static struct etr etr = {.memory = &memory};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool was_reset;

bool shared_sink__set_option(const char *argument)
{
	char *end;

	if (strncmp(argument, "etr=", 4) != 0)
		return false;
	etr.address = strtoull(argument + 4, &end, 0);
	return etr.address && !*end;
}

bool shared_sink__exists(void)
{
	return etr.address;
}

void shared_sink__settle(unsigned int index, void *userdata)
{
	pthread_mutex_lock(&lock);
	if (!was_reset)
		etr__reset(&etr);
	was_reset = true;
	etr__settle(&etr);
	pthread_mutex_unlock(&lock);
}

bool shared_sink__accepts(void *opaque)
{
	bool accepts;

	pthread_mutex_lock(&lock);
	accepts = shared_sink__exists() && etr__accepts(&etr);
	pthread_mutex_unlock(&lock);
	return accepts;
}

void shared_sink__write(void *opaque, uint8_t id, const void *from, size_t size)
{
	pthread_mutex_lock(&lock);
	etr__write(&etr, id, from, size);
	pthread_mutex_unlock(&lock);
}
