# SPDX-License-Identifier: GPL-2.0-only
#
# The virtual trace unit: a plugin that stock QEMU loads (trace-unit), and tests of its parts that need no QEMU
# (among unit-tests). Included by the top Makefile, which sets O, CC, BASE_CFLAGS.

TU_DIR := tests/trace-unit
TU_OUT := $(O)/trace-unit
TU_PURE := flow pt_emit pt_packet pt_topa pt_trace pt_unit site x86_insn cpu_model
TU_SOURCES := $(TU_PURE:%=$(TU_DIR)/%.c) $(addprefix $(TU_DIR)/,emulate.c guest.c oracle.c plugin.c vcpu.c)
TU_OBJECTS := $(TU_SOURCES:$(TU_DIR)/%.c=$(TU_OUT)/%.o)
TU_TESTS := $(patsubst $(TU_DIR)/%.c,$(O)/unit/%,$(wildcard $(TU_DIR)/*_test.c))
TU_CFLAGS = $(BASE_CFLAGS) -Itests/unit -fPIC -pthread $(shell $(PKG_CONFIG) --cflags glib-2.0)

.PHONY: trace-unit
trace-unit: $(TU_OUT)/pt.so

$(TU_OUT)/%.o: $(TU_DIR)/%.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(TU_CFLAGS) -MMD -MP -c -o $@ $<

# QEMU defines the functions that are missing; glib is QEMU's own.
$(TU_OUT)/pt.so: $(TU_OBJECTS)
	$(call say,LINK,$@)$(CC) $(TU_CFLAGS) $(LDFLAGS) -shared -o $@ $^

# They are for the machine that builds.
unit-tests: $(if $(CROSS),,$(TU_TESTS))

$(TU_TESTS): $(O)/unit/%: $(TU_OUT)/%.o $(TU_PURE:%=$(TU_OUT)/%.o)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(TU_CFLAGS) $(LDFLAGS) -o $@ $^ -lipt

-include $(TU_OBJECTS:.o=.d) $(TU_TESTS:$(O)/unit/%=$(TU_OUT)/%.d)
