# SPDX-License-Identifier: GPL-2.0-only
#
# oracle-check (host and guest) compares traces with what ran; oracle-mark (guest) makes the log's marks.

ORACLE_CFLAGS = $(BASE_CFLAGS) $(JSON_C_CFLAGS) -Isrc -Itests/tools/trace-unit -Itests/tools/oracle
ORACLE_LIB_OBJECTS := $(patsubst tests/tools/oracle/%.c,$(O)/oracle/%.o,\
	$(filter-out tests/tools/oracle/oracle_%.c,$(wildcard tests/tools/oracle/*.c))) $(O)/oracle/parse.o

.PHONY: oracle-tools
oracle-tools: $(O)/tests/oracle-check $(O)/tests/oracle-mark

$(O)/oracle/%.o: tests/tools/oracle/%.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(ORACLE_CFLAGS) -MMD -MP -c -o $@ $<

$(O)/oracle/parse.o: src/base/parse.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(ORACLE_CFLAGS) -MMD -MP -c -o $@ $<

$(O)/oracle/liboracle.a: $(ORACLE_LIB_OBJECTS)
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $^

$(O)/tests/oracle-check: $(O)/oracle/oracle_check.o $(O)/oracle/liboracle.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(ORACLE_CFLAGS) $(LDFLAGS) -o $@ $^ $(shell $(PKG_CONFIG) --libs json-c)

$(O)/tests/oracle-mark: $(O)/oracle/oracle_mark.o $(O)/oracle/liboracle.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(ORACLE_CFLAGS) $(LDFLAGS) -o $@ $^ -lbpf -lelf -lz

# Tests of this directory's modules; the shorter stem wins over the rule for those of src/.
$(O)/unit/oracle_%_test: tests/unit/oracle_%_test.c $(O)/oracle/liboracle.a
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(ORACLE_CFLAGS) -Itests/unit -MMD -MP -o $@ $< $(O)/oracle/liboracle.a $(shell $(PKG_CONFIG) --libs json-c)

-include $(wildcard $(O)/oracle/*.d)
