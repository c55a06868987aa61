# SPDX-License-Identifier: GPL-2.0-only
#
# The virtual trace units: plugins that stock QEMU loads (trace-unit), pt.so for x86 guests and ete.so for Arm ones, and
# tests of their parts that need no QEMU (among unit-tests). Included by the top Makefile, which sets O, CC, BASE_CFLAGS.
#
# What is in the directory itself is part of both; what is in pt/ and ete/ gives it the types of an architecture
# (insn.h, registers.h, vcpu_arch.h) and is found by the include path.

TU_DIR := tests/tools/trace-unit
TU_OUT := $(O)/trace-unit
TU_UNITS := pt ete
TU_SHARED := flow fresh_code guest mark oracle plugin translated vcpu
# What knows QEMU, and is in no unit test.
TU_GLUE := guest mark oracle plugin translated vcpu emulate translate guest_x86 vcpu_x86 guest_arm vcpu_arm \
	shared_sink
TU_CFLAGS = $(BASE_CFLAGS) -Itests/unit -I$(TU_DIR) -fPIC -pthread $(shell $(PKG_CONFIG) --cflags glib-2.0)
TU_TEST_LIBS_pt := -lipt
TU_TEST_LIBS_ete := -lopencsd_c_api

.PHONY: trace-unit
trace-unit: $(TU_UNITS:%=$(TU_OUT)/%.so)

# name
define TU_UNIT
TU_TESTS_$(1) := $$(patsubst $(TU_DIR)/$(1)/%.c,$(O)/unit/$(1)_%,$$(wildcard $(TU_DIR)/$(1)/*_test.c))
TU_NAMES_$(1) := $$(TU_SHARED) $$(patsubst $(TU_DIR)/$(1)/%.c,%,$$(filter-out %_test.c,$$(wildcard $(TU_DIR)/$(1)/*.c)))
TU_OBJECTS_$(1) := $$(TU_NAMES_$(1):%=$(TU_OUT)/$(1)/%.o)
TU_PURE_$(1) := $$(filter-out $$(TU_GLUE:%=$(TU_OUT)/$(1)/%.o),$$(TU_OBJECTS_$(1)))

$(TU_OUT)/$(1)/%.o: $(TU_DIR)/$(1)/%.c $(O)/flags
	@mkdir -p $$(@D)
	$$(call say,CC,$$<)$$(CC) $$(TU_CFLAGS) -I$(TU_DIR)/$(1) -MMD -MP -c -o $$@ $$<

$(TU_OUT)/$(1)/%.o: $(TU_DIR)/%.c $(O)/flags
	@mkdir -p $$(@D)
	$$(call say,CC,$$< ($(1)))$$(CC) $$(TU_CFLAGS) -I$(TU_DIR)/$(1) -MMD -MP -c -o $$@ $$<

# QEMU defines the functions that are missing; glib is QEMU's own.
$(TU_OUT)/$(1).so: $$(TU_OBJECTS_$(1))
	$$(call say,LINK,$$@)$$(CC) $$(TU_CFLAGS) $$(LDFLAGS) -shared -o $$@ $$^

# They are for the machine that builds.
unit-tests: $$(if $$(CROSS),,$$(TU_TESTS_$(1)))

$$(TU_TESTS_$(1)): $(O)/unit/$(1)_%: $(TU_OUT)/$(1)/%.o $$(TU_PURE_$(1))
	@mkdir -p $$(@D)
	$$(call say,LINK,$$@)$$(CC) $$(TU_CFLAGS) $$(LDFLAGS) -o $$@ $$^ $$(TU_TEST_LIBS_$(1))

-include $$(TU_OBJECTS_$(1):.o=.d) $$(TU_TESTS_$(1):$(O)/unit/$(1)_%=$(TU_OUT)/$(1)/%.d)
endef
$(foreach unit,$(TU_UNITS),$(eval $(call TU_UNIT,$(unit))))
