# SPDX-License-Identifier: GPL-2.0-only
#
# Fuzzers: tests/fuzz/NAME_fuzz.c becomes $(O)/fuzz/NAME_fuzz, with libFuzzer, ASan and UBSan, which only clang has
# together. tests/fuzz/NAME holds the inputs to begin with; the unit tests go through them too. Not part of the tests.

FUZZ_CFLAGS = -std=gnu11 -D_GNU_SOURCE -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=undefined -Isrc -Ibpf -Itests/unit -Itests/fuzz
FUZZ_OBJECTS := $(patsubst src/%.c,$(O)/fuzz/%.o,$(wildcard src/base/*.c src/pure/*.c))

.PHONY: fuzzers
fuzzers: $(patsubst tests/fuzz/%.c,$(O)/fuzz/%,$(wildcard tests/fuzz/*_fuzz.c))

$(O)/fuzz/%.o: src/%.c
	@mkdir -p $(@D)
	$(call say,FUZZ,$<)$(CLANG) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link -MD -MP -c -o $@ $<

$(O)/fuzz/%_fuzz: tests/fuzz/%_fuzz.c $(FUZZ_OBJECTS)
	$(call say,FUZZ,$<)$(CLANG) $(FUZZ_CFLAGS) -fsanitize=fuzzer -MD -MP -MF $@.d -o $@ $< $(FUZZ_OBJECTS) -lseccomp

-include $(wildcard $(O)/fuzz/*.d $(O)/fuzz/*/*.d)
