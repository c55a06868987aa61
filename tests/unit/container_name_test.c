// SPDX-License-Identifier: GPL-2.0-only
/* Paths of cgroups as each runtime makes them, and paths that look like them and are not. */
#include "check.h"
#include "containers/container_name.h"

#define HEX "3f1c5a9be0d24c7788aa90b1c2d3e4f5061728394a5b6c7d8e9f00112233aabb"
#define HEX2 "bbaa33221100f9e8d7c6b5a4938271605f4e3d2c1b09aa8877c4d2e0b9a5c1f3"
#define ECS "0123456789abcdef0123456789abcdef-1234567890"
#define UID "2c48913c-b29f-11e7-9350-020968147796"
#define UID_ "2c48913c_b29f_11e7_9350_020968147796"
#define MD5 "aaaa2b4af39841c0928b049e1cc4ec40"

struct vector {
	const char *path;
	enum container_kind kind;
	const char *runtime;
	const char *id;
	/* The path of the outermost container that the cgroup lies in, or NULL. */
	const char *outer;
};

static const struct vector vectors[] = {
	/* docker: both drivers, rootless, GitHub's runners, another parent, under the kubelet */
	{"/docker/" HEX, CONTAINER_CONTAINER, "docker", HEX},
	{"/system.slice/docker-" HEX ".scope", CONTAINER_CONTAINER, "docker", HEX},
	{"/user.slice/user-1000.slice/user@1000.service/user.slice/docker-" HEX ".scope", CONTAINER_CONTAINER,
	 "docker", HEX},
	{"/actions_job/" HEX, CONTAINER_CONTAINER, "docker", HEX},
	{"/my/parent/" HEX, CONTAINER_CONTAINER, "oci", HEX},
	{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_ ".slice/docker-" HEX ".scope",
	 CONTAINER_CONTAINER, "docker", HEX},
	{"/system.slice:docker:" HEX, CONTAINER_CONTAINER, "docker", HEX},
	/* podman: both drivers, rootless, split, with a payload cgroup */
	{"/libpod_parent/libpod-" HEX, CONTAINER_CONTAINER, "podman", HEX},
	{"/machine.slice/libpod-" HEX ".scope", CONTAINER_CONTAINER, "podman", HEX},
	{"/machine.slice/libpod-" HEX ".scope/container", CONTAINER_NONE, NULL, "",
	 "/machine.slice/libpod-" HEX ".scope"},
	{"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" HEX ".scope", CONTAINER_CONTAINER,
	 "podman", HEX},
	{"/system.slice/web.service/libpod-payload-" HEX, CONTAINER_CONTAINER, "podman", HEX},
	{"/machine.slice/libpod-payload-" HEX ".scope", CONTAINER_CONTAINER, "podman", HEX},
	{"/machine.slice/libpod-" HEX ".scope/container/init.scope", CONTAINER_UNIT, "systemd", "init.scope",
	 "/machine.slice/libpod-" HEX ".scope"},
	{"/machine.slice/libpod-conmon-" HEX ".scope", CONTAINER_NONE, NULL, ""},
	{"/libpod_parent/conmon", CONTAINER_NONE, NULL, ""},
	/* containerd: CRI with both drivers, each QoS class, a mismatched driver, nerdctl */
	{"/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" UID_ ".slice/cri-containerd-" HEX
	 ".scope",
	 CONTAINER_CONTAINER, "containerd", HEX},
	{"/kubepods.slice/kubepods-pod" UID_ ".slice/cri-containerd-" HEX ".scope", CONTAINER_CONTAINER,
	 "containerd", HEX},
	{"/kubepods/burstable/pod" UID "/" HEX, CONTAINER_CONTAINER, "oci", HEX},
	{"/kubepods/pod" UID "/" HEX, CONTAINER_CONTAINER, "oci", HEX},
	{"/system.slice/containerd.service/kubepods-burstable-pod" UID_ ".slice:cri-containerd:" HEX,
	 CONTAINER_CONTAINER, "containerd", HEX},
	{"/system.slice/nerdctl-" HEX ".scope", CONTAINER_CONTAINER, "containerd", HEX},
	{"/default/" HEX, CONTAINER_CONTAINER, "oci", HEX},
	/* cri-o */
	{"/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" HEX ".scope", CONTAINER_CONTAINER, "cri-o", HEX},
	{"/kubepods/besteffort/pod" UID "/crio-" HEX, CONTAINER_CONTAINER, "cri-o", HEX},
	{"/kubepods.slice/kubepods-pod" UID_ ".slice/crio-conmon-" HEX ".scope", CONTAINER_NONE, NULL, ""},
	{"/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" HEX ".scope/container", CONTAINER_NONE, NULL, "",
	 "/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" HEX ".scope"},
	/* pods */
	{"/kubepods/burstable/pod" UID, CONTAINER_POD, "kubernetes", UID},
	{"/kubepods/pod" MD5, CONTAINER_POD, "kubernetes", MD5},
	{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_ ".slice", CONTAINER_POD,
	 "kubernetes", UID},
	{"/kubepods.slice/kubepods-pod" MD5 ".slice", CONTAINER_POD, "kubernetes", MD5},
	{"/kubepods.slice/kubepods-burstable.slice", CONTAINER_UNIT, "systemd", "kubepods-burstable.slice"},
	{"/kubepods.slice/kubepods-podnothing.slice", CONTAINER_UNIT, "systemd", "kubepods-podnothing.slice"},
	{"/kubepods/burstable", CONTAINER_NONE, NULL, ""},
	{"/kubepods/podinfo", CONTAINER_NONE, NULL, ""},
	/* kind: a node that is a container, with a prefix of its own */
	{"/docker/" HEX "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/"
	 "kubelet-kubepods-besteffort-pod" UID_ ".slice",
	 CONTAINER_POD, "kubernetes", UID, "/docker/" HEX},
	{"/docker/" HEX "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod" UID_
	 ".slice/cri-containerd-" HEX2 ".scope",
	 CONTAINER_CONTAINER, "containerd", HEX2, "/docker/" HEX},
	{"/docker/" HEX "/kubelet/kubepods/pod" UID "/" HEX2, CONTAINER_CONTAINER, "oci", HEX2,
	 "/docker/" HEX},
	/* docker in docker, systemd in docker */
	{"/docker/" HEX "/docker/" HEX2, CONTAINER_CONTAINER, "docker", HEX2, "/docker/" HEX},
	{"/docker/" HEX "/docker/" HEX2 "/init", CONTAINER_NONE, NULL, "", "/docker/" HEX},
	{"/docker/" HEX "/init.scope", CONTAINER_UNIT, "systemd", "init.scope", "/docker/" HEX},
	{"/docker/" HEX "/system.slice/nginx.service", CONTAINER_UNIT, "systemd", "nginx.service",
	 "/docker/" HEX},
	/* runc and crun alone */
	{"/system.slice/runc-web.scope", CONTAINER_CONTAINER, "runc", "web"},
	{"/user.slice/crun-my.app_1.scope", CONTAINER_CONTAINER, "crun", "my.app_1"},
	{"/system.slice:runc:web", CONTAINER_CONTAINER, "runc", "web"},
	/* Amazon's */
	{"/ecs/" MD5 "/" ECS, CONTAINER_CONTAINER, "ecs", ECS},
	{"/ecs/" MD5 "/" MD5 "-", CONTAINER_NONE, NULL, ""},
	{"/ecs/" MD5 "/" MD5 "-12x", CONTAINER_NONE, NULL, ""},
	/* Nomad, from 1.7 on and before */
	{"/nomad.slice/share.slice/416baca9-bc05-d4c4-29f0-d0feec4e355c.db.scope", CONTAINER_CONTAINER,
	 "nomad", "416baca9-bc05-d4c4-29f0-d0feec4e355c.db"},
	{"/nomad.slice/reserve.slice/416baca9-bc05-d4c4-29f0-d0feec4e355c.db.scope", CONTAINER_CONTAINER,
	 "nomad", "416baca9-bc05-d4c4-29f0-d0feec4e355c.db"},
	{"/nomad.slice/416baca9-bc05-d4c4-29f0-d0feec4e355c.db.scope", CONTAINER_CONTAINER, "nomad",
	 "416baca9-bc05-d4c4-29f0-d0feec4e355c.db"},
	{"/nomad.slice/share.slice", CONTAINER_UNIT, "systemd", "share.slice"},
	/* LXC */
	{"/lxc.payload.web", CONTAINER_CONTAINER, "lxc", "web"},
	{"/lxc.payload.web/system.slice/cron.service", CONTAINER_UNIT, "systemd", "cron.service",
	 "/lxc.payload.web"},
	{"/lxc.payload/web", CONTAINER_CONTAINER, "lxc", "web"},
	{"/lxc/101", CONTAINER_CONTAINER, "lxc", "101"},
	{"/lxc/101/ns/init.scope", CONTAINER_UNIT, "systemd", "init.scope", "/lxc/101"},
	{"/lxc.monitor.web", CONTAINER_NONE, NULL, ""},
	{"/lxc.payload", CONTAINER_NONE, NULL, ""},
	/* machines */
	{"/machine.slice/machine-deb12.scope", CONTAINER_CONTAINER, "nspawn", "deb12"},
	{"/machine.slice/machine-my\\x2dbox.scope/payload", CONTAINER_NONE, NULL, "",
	 "/machine.slice/machine-my\\x2dbox.scope"},
	{"/machine.slice/machine-my\\x2dbox.scope", CONTAINER_CONTAINER, "nspawn", "my-box"},
	{"/machine.slice/systemd-nspawn@deb12.service", CONTAINER_CONTAINER, "nspawn", "deb12"},
	{"/machine.slice/machine-qemu\\x2d3\\x2dweb\\x2d1.scope", CONTAINER_CONTAINER, "libvirt", "web-1"},
	{"/machine.slice/machine-lxc\\x2d2293906\\x2dbox.scope/libvirt", CONTAINER_NONE, NULL, "",
	 "/machine.slice/machine-lxc\\x2d2293906\\x2dbox.scope"},
	{"/machine/box.libvirt-lxc", CONTAINER_CONTAINER, "libvirt", "box"},
	{"/machine.slice", CONTAINER_UNIT, "systemd", "machine.slice"},
	/* systemd */
	{"/system.slice/nginx.service", CONTAINER_UNIT, "systemd", "nginx.service"},
	{"/system.slice/system-getty.slice/getty@tty1.service", CONTAINER_UNIT, "systemd",
	 "getty@tty1.service"},
	{"/system.slice/system-systemd\\x2dfsck.slice", CONTAINER_UNIT, "systemd",
	 "system-systemd-fsck.slice"},
	{"/user.slice/user-1000.slice/session-3.scope", CONTAINER_UNIT, "systemd", "session-3.scope"},
	{"/init.scope", CONTAINER_UNIT, "systemd", "init.scope"},
	{"/system.slice/var-lib-docker-overlay2-" HEX "-merged.mount", CONTAINER_NONE, NULL, ""},
	{"/system.slice/dbus.socket", CONTAINER_NONE, NULL, ""},
	/* neither */
	{"/", CONTAINER_NONE, NULL, ""},
	{"", CONTAINER_NONE, NULL, ""},
	{"/docker", CONTAINER_NONE, NULL, ""},
	{"/docker/3f1c5a9be0d2", CONTAINER_NONE, NULL, ""},
	{"/docker/" HEX "0", CONTAINER_NONE, NULL, ""},
	{"/system.slice/docker-3f1c.scope", CONTAINER_UNIT, "systemd", "docker-3f1c.scope"},
	{"/system.slice/runc-.scope", CONTAINER_UNIT, "systemd", "runc-.scope"},
	{"/3F1C5A9BE0D24C7788AA90B1C2D3E4F5061728394A5B6C7D8E9F00112233AABB", CONTAINER_NONE, NULL, ""},
	{"docker/" HEX "/", CONTAINER_CONTAINER, "docker", HEX},
	{"/a:b", CONTAINER_NONE, NULL, ""},
	{"/a:b:", CONTAINER_NONE, NULL, ""},
};

static void test_vector(const struct vector *v)
{
	struct container_name name;
	unsigned int failed = check_failed;

	container_name__read(v->path, &name);
	CHECK_EQ(name.kind, v->kind);
	CHECK_STREQ(name.runtime ? name.runtime : "", v->runtime ? v->runtime : "");
	CHECK_STREQ(name.id, v->id);
	CHECK_EQ(name.outer, v->outer ? strlen(v->outer) : 0);
	if (name.outer)
		CHECK(!strncmp(v->path, v->outer, name.outer));
	if (check_failed != failed)
		fprintf(stderr, "... of %s\n", v->path);
}

/* Names of the greatest length, and of one that no file system can have. */
static void test_long(void)
{
	char path[2048], text[512];
	struct container_name name;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	snprintf(path, sizeof(path), "/lxc.payload.%.*s", 255 - 12, text);
	container_name__read(path, &name);
	CHECK_EQ(name.kind, CONTAINER_CONTAINER);
	CHECK_EQ(strlen(name.id), 255 - 12);
	snprintf(path, sizeof(path), "/%s/%s:a:%s", text, "s.slice", text);
	container_name__read(path, &name);
	CHECK_EQ(name.kind, CONTAINER_NONE);
}

static void test_words(void)
{
	char uid[CONTAINER_NAME_SIZE];

	CHECK(container_name__is_hex("beef", 4));
	CHECK(!container_name__is_hex("bee", 4));
	CHECK(!container_name__is_hex("beefy", 4));
	CHECK_STREQ(container_name__last("/a/b"), "b");
	CHECK_STREQ(container_name__last("b"), "b");
	container_name__format_uid(UID_, uid, sizeof(uid));
	CHECK_STREQ(uid, UID);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++)
		test_vector(&vectors[i]);
	test_long();
	test_words();
	return check__done();
}
