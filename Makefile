# SPDX-License-Identifier: GPL-2.0-only
#
# make              builds auxbpf
# make demo         installs what is missing, builds, captures uname and shows the trace
# make test         installs what is missing, builds, runs the tests; with T=NAME one unit test or bats file
# make test-long    runs all of them whole, and the fuzzers, for hours; T=NAME as above, tests/README.md tells more
# make bench        measures what the gate, snapshots and files cost, beside perf, bpftrace and cp; installs bpftrace
# make fuzz         feeds made-up inputs to each parser of what others write, for FUZZ_TIME seconds each (600)
# make check        checks formatting, layers, function lengths, shell scripts, options in the documentation
# make install      installs below PREFIX=/usr/local, in DESTDIR=
#
# V=1 shows the commands, WERROR=1 makes warnings errors, SAN=1 builds with ASan and UBSan, by clang (into build-san),
# CC= and CLANG= name the compilers, O= the directory for everything that is built. ARCH=aarch64 builds for 64-bit
# Arm (into build-aarch64), with clang, because Debian's cross compilers cannot be installed beside gcc-multilib.
# HOST_CC= names the compiler of programs that run while auxbpf is built; it is CC unless that is one for another machine.

PREFIX ?= /usr/local
MANDIR ?= $(PREFIX)/share/man
BASH_DIR ?= $(PREFIX)/share/bash-completion/completions
FISH_DIR ?= $(PREFIX)/share/fish/vendor_completions.d
# Debian's zsh has one directory for its packages, and another one for what the machine's owner installs.
ZSH_DIR ?= $(PREFIX)/share/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)
CLANG ?= clang
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool) bpftool)
LLVM_NM ?= llvm-nm
PROTOC_C ?= protoc-c
PKG_CONFIG ?= pkg-config

HOST_ARCH := $(shell uname -m)
ARCH ?= $(HOST_ARCH)
CROSS := $(filter-out $(HOST_ARCH),$(ARCH))
O ?= build$(CROSS:%=-%)$(if $(SAN),-san)
ifneq ($(CROSS),)
ifeq ($(origin CC),default)
CC := $(CLANG) --target=$(ARCH)-linux-gnu -fuse-ld=lld -Wno-unused-command-line-argument
AR := llvm-ar
endif
export PKG_CONFIG_LIBDIR ?= /usr/lib/$(ARCH)-linux-gnu/pkgconfig:/usr/share/pkgconfig
endif
# Of the compilers here only clang has libFuzzer, whose fuzzers are made of the same objects.
ifneq ($(SAN),)
ifeq ($(origin CC),default)
CC := $(CLANG)
endif
endif
HOST_CC ?= $(if $(CROSS),cc,$(CC))
BPF_ARCH := $(patsubst aarch64,arm64,$(patsubst x86_64,x86,$(ARCH)))
MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)

comma := ,
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
	-Wpointer-arith -Wwrite-strings -Wundef -Wformat=2 -Wvla -Wimplicit-fallthrough -Wswitch-enum \
	-Wcast-qual -Wredundant-decls -Wnull-dereference -Wno-unused-parameter -Wno-missing-field-initializers \
	$(if $(WERROR),-Werror)
HARDEN := -fno-common -fvisibility=hidden -fstack-protector-strong $(if $(SAN),,-D_FORTIFY_SOURCE=2)
# NULL + 0, of an empty span, is what later C says it is: NULL. A test runs dwz on itself, which does not know all of clang's DWARF 5.
SANITIZE := $(if $(SAN),-fsanitize=address$(comma)undefined$(comma)fuzzer-no-link -fno-sanitize-recover=undefined \
	-fno-sanitize=pointer-overflow -fno-omit-frame-pointer -gdwarf-4)
COVER := $(if $(COVERAGE),-fprofile-instr-generate -fcoverage-mapping)

CFLAGS ?= -O2 -g
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
BASE_CFLAGS = -std=gnu11 -D_GNU_SOURCE $(WARN) $(HARDEN) $(SANITIZE) $(COVER) $(CFLAGS)
JSON_C_CFLAGS := $(shell $(PKG_CONFIG) --cflags json-c)
INCLUDES = -Isrc -Ibpf -isystem $(O)/bpf -isystem $(O)/proto $(JSON_C_CFLAGS)
AUXBPF_CFLAGS = $(BASE_CFLAGS) $(INCLUDES)
LIBS := -lbpf -ldw -lelf -lz -lcap -lseccomp -lzstd $(shell $(PKG_CONFIG) --libs json-c libprotobuf-c)
# Inlined code gets no line numbers of its own, because the kernel keeps and checks them all, and each capture has them.
BPF_DEBUG := -g -gno-inline-line-tables -ffile-prefix-map=$(CURDIR)=.
BPF_CFLAGS := -target bpf -mcpu=v3 $(BPF_DEBUG) -O2 -Wall -Wextra -Wshadow -Wno-unused-parameter $(if $(WERROR),-Werror) \
	-D__TARGET_ARCH_$(BPF_ARCH) -Ivmlinux -Ibpf -idirafter /usr/include/$(MULTIARCH)

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-8s %s\n' '$(1)' '$(2)';)

# These have a main() of their own, or are a shared object for perf.
MAINS := src/commands/main.c src/commands/completion_writer.c
FILTER := $(O)/decode/branch_filter.so
SOURCES := $(filter-out $(MAINS) src/decode/branch_filter.c,$(sort $(wildcard src/*/*.c src/*/*/*.c)))
PROTO := $(patsubst src/export/%.proto,$(O)/proto/%.pb-c,$(wildcard src/export/*.proto))
OBJECTS := $(SOURCES:src/%.c=$(O)/%.o) $(PROTO:%=%.o)
# The main object is linked from these: as one object they need the kernel's types to be read only once.
LINKED := auxbpf trigger trigger_skip
BPF_OBJECTS := $(patsubst bpf/%.bpf.c,$(O)/bpf/%.bpf.o,$(wildcard bpf/*.bpf.c))
OTHER_SKELETONS := $(patsubst %.bpf.o,%.skel.h,$(filter-out $(LINKED:%=$(O)/bpf/%.bpf.o),$(BPF_OBJECTS)))
SKELETONS := $(O)/bpf/auxbpf.skel.h $(OTHER_SKELETONS)
# What sources include that is made in the build.
GENERATED := $(SKELETONS) $(O)/bpf/program_names.h $(PROTO:%=%.h)
COMPLETIONS := $(addprefix $(O)/completions/,auxbpf.bash auxbpf.fish _auxbpf)
UNIT_TESTS := $(patsubst tests/unit/%.c,$(O)/unit/%,$(wildcard tests/unit/*_test.c))

.PHONY: all
all: $(O)/auxbpf $(COMPLETIONS)

include $(wildcard tests/*/*.mk tests/tools/*/*.mk)

$(O)/auxbpf: $(O)/commands/main.o $(O)/libauxbpf.a
	$(call say,LINK,$@)$(CC) $(AUXBPF_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(O)/libauxbpf.a: $(OBJECTS)
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $^

# Objects depend on the flags, so that another compiler or SAN=1 with the same O= rebuilds them.
$(O)/flags: force
	@mkdir -p $(@D)
	@echo '$(CC) $(AUXBPF_CFLAGS) $(LDFLAGS)' | cmp -s - $@ || echo '$(CC) $(AUXBPF_CFLAGS) $(LDFLAGS)' >$@
.PHONY: force
force:

$(O)/version.h: force
	@mkdir -p $(@D)
	@echo '#define AUXBPF_VERSION "$(VERSION)"' | cmp -s - $@ || echo '#define AUXBPF_VERSION "$(VERSION)"' >$@
$(O)/commands/main.o: $(O)/version.h
$(O)/commands/main.o: private AUXBPF_CFLAGS += -I$(O)

# -MD and not -MMD, because the skeletons are found as system headers (-isystem), which turns their warnings off.
$(O)/%.o: src/%.c $(O)/flags | $(GENERATED)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(AUXBPF_CFLAGS) -MD -MP -c -o $@ $<

$(O)/bpf/%.bpf.o: bpf/%.bpf.c
	@mkdir -p $(@D)
	$(call say,BPF,$<)$(CLANG) $(BPF_CFLAGS) -MMD -MP -c -o $@ $<

$(O)/bpf/linked.o: $(LINKED:%=$(O)/bpf/%.bpf.o)
	$(call say,BPFLINK,$@)$(BPFTOOL) gen object $@ $^

$(O)/bpf/auxbpf.skel.h: $(O)/bpf/linked.o
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name auxbpf_bpf >$@.tmp && mv $@.tmp $@

$(OTHER_SKELETONS): $(O)/bpf/%.skel.h: $(O)/bpf/%.bpf.o
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name $*_bpf >$@.tmp && mv $@.tmp $@

# The names of all functions of the BPF programs, as `auxbpf report` finds them in a trace.
$(O)/bpf/program_names.h: $(BPF_OBJECTS)
	$(call say,GEN,$@)$(LLVM_NM) --defined-only $^ | awk '$$2 ~ /^[tT]$$/ && $$3 !~ /^LBB/ { print "\"" $$3 "\"," }' | LC_ALL=C sort -u >$@.tmp && mv $@.tmp $@

# The messages of Perfetto's trace format, with libprotobuf-c. What is generated is not checked by our warnings.
$(O)/proto/%.pb-c.c: src/export/%.proto
	@mkdir -p $(@D)
	$(call say,PROTO,$<)$(PROTOC_C) --proto_path=$(<D) --c_out=$(@D) $<
$(O)/proto/%.pb-c.h: $(O)/proto/%.pb-c.c ;
$(O)/proto/%.pb-c.o: $(O)/proto/%.pb-c.c $(O)/flags
	$(call say,CC,$<)$(CC) $(AUXBPF_CFLAGS) -w -c -o $@ $<

# perf loads it into itself, so it has no sanitizer.
$(FILTER): src/decode/branch_filter.c src/decode/decoded.h src/calls/branch.h src/calls/call_sites.h $(O)/flags
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(filter-out $(SANITIZE) $(COVER),$(AUXBPF_CFLAGS)) $(LDFLAGS) -fPIC -shared -o $@ $<
$(O)/decode/filter_image.o: $(FILTER)
$(O)/decode/filter_image.o: private INCLUDES += -DBRANCH_FILTER='"$(FILTER)"'

# The page of `export --html`, in one file: the browser runs the script and takes the style that have these hashes, and no others.
PAGE := $(O)/export/page.html
PAGE_STYLE := src/export/page/page.css
PAGE_SCRIPT := $(addprefix src/export/page/,data.js time.js chart.js table.js page.js)
csp_hash = sha256-$$({ echo; cat $(1); } | sha256sum | cut -c 1-64 | tr a-f A-F | basenc --base16 -d | base64)
$(PAGE): src/export/page/page.html $(PAGE_STYLE) $(PAGE_SCRIPT)
	@mkdir -p $(@D)
	$(call say,GEN,$@)sed -e "s|@STYLE_HASH@|$(call csp_hash,$(PAGE_STYLE))|; s|@SCRIPT_HASH@|$(call csp_hash,$(PAGE_SCRIPT))|" \
		-e '/^@STYLE@$$/{r $(PAGE_STYLE)' -e 'd}' $(foreach part,$(PAGE_SCRIPT),-e '/^@SCRIPT@$$/r $(part)') -e '/^@SCRIPT@$$/d' \
		$< >$@.tmp && mv $@.tmp $@
$(O)/export/page_image.o: $(PAGE)
$(O)/export/page_image.o: private INCLUDES += -DEXPORT_PAGE='"$(PAGE)"'

.PHONY: bpf-objects
bpf-objects: $(BPF_OBJECTS) $(O)/bpf/linked.o

# The completions are templates, which a program fills with the table of options.
WRITER := $(O)/completions/completion_writer
$(WRITER): $(addprefix src/,commands/completion_writer.c commands/option_table.c commands/option_table.h \
		commands/option_table.def base/cleanup.h)
	@mkdir -p $(@D)
	$(call say,HOSTCC,$@)$(HOST_CC) -std=gnu11 -D_GNU_SOURCE $(WARN) -O1 -Isrc -o $@ $(filter %.c,$^)

$(COMPLETIONS): $(O)/completions/%: src/commands/completions/% $(WRITER)
	$(call say,GEN,$@)$(WRITER) <$< >$@.tmp && mv $@.tmp $@

# Files that are made on the way are kept; make would delete them as intermediate.
.SECONDARY:

# The test of a module of src/ is one C program, linked with all modules.
$(O)/unit/%_test: tests/unit/%_test.c $(O)/libauxbpf.a
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(AUXBPF_CFLAGS) -Itests/unit -MMD -MP -o $@ $< $(O)/libauxbpf.a $(LIBS)

# This test counts allocations.
$(O)/unit/task_maps_test: AUXBPF_CFLAGS += -Wl,--wrap=malloc

.PHONY: unit-tests
unit-tests: $(UNIT_TESTS)

# Builds what the tests run besides auxbpf itself.
.PHONY: tests
tests: unit-tests $(if $(CROSS),,trace-unit bench-programs) oracle-tools test-programs

.PHONY: print-O
print-O:
	@echo $(O)

.PHONY: demo
demo:
	$(Q)scripts/demo

.PHONY: test
test:
	$(Q)scripts/test $(if $(T),one '$(T)')

.PHONY: test-long
test-long:
	$(Q)scripts/test long $(if $(T),'$(T)')

.PHONY: bench
bench:
	$(Q)scripts/bench

.PHONY: fuzz
fuzz:
	$(Q)scripts/fuzz

.PHONY: check
check:
	$(Q)scripts/check

.PHONY: install
install: all
	install -D -m 0755 $(O)/auxbpf $(DESTDIR)$(PREFIX)/sbin/auxbpf
	install -D -m 0644 src/commands/auxbpf.8 $(DESTDIR)$(MANDIR)/man8/auxbpf.8
	install -D -m 0644 src/commands/auxbpf-rules.7 $(DESTDIR)$(MANDIR)/man7/auxbpf-rules.7
	install -D -m 0644 $(O)/completions/auxbpf.bash $(DESTDIR)$(BASH_DIR)/auxbpf
	install -D -m 0644 $(O)/completions/auxbpf.fish $(DESTDIR)$(FISH_DIR)/auxbpf.fish
	install -D -m 0644 $(O)/completions/_auxbpf $(DESTDIR)$(ZSH_DIR)/_auxbpf

.PHONY: clean
clean:
	rm -rf build build-*

-include $(OBJECTS:.o=.d) $(O)/commands/main.d $(wildcard $(O)/bpf/*.d $(O)/unit/*.d)
