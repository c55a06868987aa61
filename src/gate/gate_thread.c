// SPDX-License-Identifier: GPL-2.0-only
#include "gate/gate_thread.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>

#include "base/log.h"
#include "base/thread.h"

/* An AUX event, and the state that the thread gave it last. */
struct gate_event {
	int fd; /* -1: none yet */
	bool enabled;
	bool held; /* the caller stops and starts it */
};

struct gate_thread {
	struct ring_buffer *ring;
	const struct auxbpf_cpu *cpus;
	pthread_mutex_t lock; /* protects the events; held while one is moved */
	struct gate_event *events;
	int nr_cpus;
	int stop_fd;
	int epoll_fd;
	pthread_t thread;
	bool running;
	int tid;
	sem_t has_tid;
};

/* The wanted state, not the message, decides: of several moves only the last one counts. */
static void move_event(struct gate_thread *t, uint32_t cpu)
{
	struct gate_event *event = &t->events[cpu];
	bool want = __atomic_load_n(&t->cpus[cpu].want_open, __ATOMIC_RELAXED);

	if (event->fd < 0 || event->held || event->enabled == want)
		return;
	/* This cannot fail for an open event. It does nothing if the CPU has gone offline. */
	ioctl(event->fd, want ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
	event->enabled = want;
}

static int take_move(void *ctx, void *data, size_t size)
{
	struct gate_thread *t = ctx;
	uint32_t cpu = *(const uint32_t *)data;

	if (cpu >= (uint32_t)t->nr_cpus)
		return 0;
	pthread_mutex_lock(&t->lock);
	move_event(t, cpu);
	pthread_mutex_unlock(&t->lock);
	return 0;
}

static void *run(void *arg)
{
	struct gate_thread *t = arg;
	struct epoll_event event;

	t->tid = gettid();
	sem_post(&t->has_tid);
	for (;;) {
		int n = epoll_wait(t->epoll_fd, &event, 1, -1);

		if (n < 0 && errno != EINTR)
			return NULL;
		if (n > 0 && event.data.fd == t->stop_fd)
			return NULL;
		ring_buffer__consume(t->ring);
	}
}

/* The thread has real-time priority because it competes with the tasks that it traces. */
static int start(struct gate_thread *t)
{
	const struct sched_param param = {.sched_priority = 1};
	int err = thread__start(&t->thread, run, t);

	if (err)
		return err;
	t->running = true;
	while (sem_wait(&t->has_tid) && errno == EINTR)
		;
	if (pthread_setschedparam(t->thread, SCHED_FIFO, &param))
		log_debug("no real-time priority for the thread that moves the gates");
	return 0;
}

static int watch(const struct gate_thread *t, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	return epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int prepare(struct gate_thread *t, int map_fd)
{
	int err;

	t->events = calloc((size_t)t->nr_cpus, sizeof(*t->events));
	if (!t->events)
		return -ENOMEM;
	for (int i = 0; i < t->nr_cpus; i++)
		t->events[i].fd = -1;
	t->ring = ring_buffer__new(map_fd, take_move, t, NULL);
	t->stop_fd = eventfd(0, EFD_CLOEXEC);
	t->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (!t->ring || t->stop_fd < 0 || t->epoll_fd < 0)
		return -errno;
	err = watch(t, t->stop_fd);
	return err ? err : watch(t, ring_buffer__epoll_fd(t->ring));
}

int gate_thread__new(int map_fd, const struct auxbpf_cpu *cpus, int nr_cpus, struct gate_thread **ret)
{
	_cleanup_(cleanup__gate_thread) struct gate_thread *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return -ENOMEM;
	t->cpus = cpus;
	t->nr_cpus = nr_cpus;
	t->stop_fd = t->epoll_fd = -1;
	sem_init(&t->has_tid, 0, 0);
	thread__init_lock(&t->lock);
	err = prepare(t, map_fd);
	if (!err)
		err = start(t);
	if (err) {
		log_err("cannot start the thread that moves the gates: %s", strerror(-err));
		return err;
	}
	*ret = steal_ptr(t);
	return 0;
}

int gate_thread__tid(const struct gate_thread *t)
{
	return t->tid;
}

void gate_thread__add_cpu(struct gate_thread *t, int cpu, int fd)
{
	pthread_mutex_lock(&t->lock);
	t->events[cpu].fd = fd;
	pthread_mutex_unlock(&t->lock);
}

void gate_thread__hold(struct gate_thread *t, int cpu)
{
	pthread_mutex_lock(&t->lock);
	t->events[cpu].held = true;
	pthread_mutex_unlock(&t->lock);
}

void gate_thread__let_go(struct gate_thread *t, int cpu)
{
	pthread_mutex_lock(&t->lock);
	t->events[cpu].held = false;
	t->events[cpu].enabled = false;
	move_event(t, (uint32_t)cpu);
	pthread_mutex_unlock(&t->lock);
}

void gate_thread__free(struct gate_thread *t)
{
	if (!t)
		return;
	if (t->running && eventfd_write(t->stop_fd, 1) == 0)
		pthread_join(t->thread, NULL);
	cleanup__close(&t->stop_fd);
	cleanup__close(&t->epoll_fd);
	sem_destroy(&t->has_tid);
	pthread_mutex_destroy(&t->lock);
	ring_buffer__free(t->ring);
	free(t->events);
	free(t);
}
