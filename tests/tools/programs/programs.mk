# SPDX-License-Identifier: GPL-2.0-only
#
# The programs that tests run in the guest. Static and without PIE: nothing of them is found at run time, and
# addresses are the same in every run. -O1, because the shape of their branches is what they are for.

# Of these, what is about x86 alone.
X86_PROGRAMS := trap_branches
TEST_PROGRAMS := $(filter-out $(if $(filter x86_64,$(ARCH)),,$(X86_PROGRAMS:%=$(O)/tests/%)),\
	$(patsubst tests/tools/programs/%.c,$(O)/tests/%,$(wildcard tests/tools/programs/*.c)))
TEST_PROGRAM_CFLAGS = -std=gnu11 -D_GNU_SOURCE $(WARN) -O1 -g -fno-common -fno-pie -Itests/tools/trace-unit \
	-Itests/tools/programs
TEST_PROGRAM_LINK = -static
TEST_PROGRAM_CC = $(CC)

.PHONY: test-programs
test-programs: $(TEST_PROGRAMS) $(O)/tests/touch_page.so $(O)/tests/stuck_start.so \
	$(O)/tests/fail_allocation.so

$(TEST_PROGRAMS): $(O)/tests/%: tests/tools/programs/%.c $(O)/flags
	@mkdir -p $(@D) $(O)/programs
	$(call say,CC,$<)$(TEST_PROGRAM_CC) $(TEST_PROGRAM_CFLAGS) $(TEST_PROGRAM_LINK) -MMD -MP -MF $(O)/programs/$*.d -o $@ $< $(TEST_PROGRAM_LIBS)

$(O)/tests/touch_page.so: tests/tools/programs/library/touch_page.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) -std=gnu11 $(WARN) -O1 -fPIC -shared -nostdlib -Wl,-e,touch_page -o $@ $<

$(O)/tests/stuck_start.so: tests/tools/programs/library/stuck_start.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN) -O1 -fPIC -shared -o $@ $<

$(O)/tests/fail_allocation.so: tests/tools/programs/library/fail_allocation.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN) -O1 -g -fPIC -shared -o $@ $<

$(O)/tests/fail_call: TEST_PROGRAM_LIBS = -lseccomp

ifeq ($(ARCH),x86_64)
# Far from all other code, so that a jump there changes the upper half of the address.
$(O)/tests/fill: TEST_PROGRAM_CFLAGS += -Wl,--section-start=.far=0x100000000000
endif

# perf unwinds by the tables that the dynamic linker, too, would use: static programs at fixed places have none.
$(O)/tests/sample_cases: TEST_PROGRAM_CFLAGS += -fomit-frame-pointer
$(O)/tests/sample_cases: TEST_PROGRAM_LINK = -no-pie

$(O)/tests/sampled_calls: TEST_PROGRAM_CFLAGS += -O0

$(O)/tests/compat32: TEST_PROGRAM_CFLAGS += -ffreestanding -nostdlib -fno-stack-protector
ifeq ($(ARCH),x86_64)
$(O)/tests/compat32: TEST_PROGRAM_CFLAGS += -m32
else
# A compiler for 64-bit Arm makes no 32-bit code; clang makes both.
$(O)/tests/compat32: TEST_PROGRAM_CC = $(CLANG) --target=arm-linux-gnueabihf -mcpu=cortex-a15 -fuse-ld=lld
endif

-include $(wildcard $(O)/programs/*.d)
