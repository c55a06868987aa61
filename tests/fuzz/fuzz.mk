# SPDX-License-Identifier: GPL-2.0-only
#
# Fuzzers: tests/fuzz/NAME_fuzz.c becomes $(O)/fuzz/NAME_fuzz, with libFuzzer, ASan and UBSan, which only clang has
# together. tests/fuzz/NAME holds the inputs to begin with, those that broke something once among them: the same
# source becomes the unit test NAME_replay_test, which goes through them.

# NULL + 0, of an empty span, is what later C says it is: NULL.
FUZZ_FLAGS := -O1 -g -fno-omit-frame-pointer -fsanitize=address$(comma)undefined -fno-sanitize-recover=undefined \
	-fno-sanitize=pointer-overflow \
	$(if $(COVERAGE),-fprofile-instr-generate -fcoverage-mapping)
FUZZ_CFLAGS = -std=gnu11 -D_GNU_SOURCE $(FUZZ_FLAGS) $(INCLUDES) -Itests/unit -Itests/fuzz
FUZZERS := $(patsubst tests/fuzz/%_fuzz.c,%,$(wildcard tests/fuzz/*_fuzz.c))
# Done in the fuzzer's own process: fuzz.h.
FUZZ_WRAP := -Wl,--wrap=file_helper__run
UNIT_TESTS += $(FUZZERS:%=$(O)/unit/%_replay_test)

.PHONY: fuzzers
fuzzers: $(FUZZERS:%=$(O)/fuzz/%_fuzz)

$(O)/fuzz/%.o: src/%.c tests/fuzz/fuzz.mk | $(GENERATED)
	@mkdir -p $(@D)
	$(call say,FUZZ,$<)$(CLANG) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link -MD -MP -c -o $@ $<

$(O)/fuzz/sources.a: $(SOURCES:src/%.c=$(O)/fuzz/%.o) $(PROTO:%=%.o)
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $^

$(O)/fuzz/%_fuzz: tests/fuzz/%_fuzz.c $(O)/fuzz/sources.a
	$(call say,FUZZ,$<)$(CLANG) $(FUZZ_CFLAGS) -fsanitize=fuzzer -MD -MP -MF $@.d -o $@ $< $(O)/fuzz/sources.a \
		$(FUZZ_WRAP) $(LIBS)

$(O)/unit/%_replay_test: tests/fuzz/%_fuzz.c $(O)/libauxbpf.a
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(AUXBPF_CFLAGS) -Itests/unit -Itests/fuzz -DFUZZ_INPUTS='"tests/fuzz/$*"' -MMD -MP -o $@ $< \
		$(O)/libauxbpf.a $(FUZZ_WRAP) $(LIBS)

-include $(wildcard $(O)/fuzz/*.d $(O)/fuzz/*/*.d)
