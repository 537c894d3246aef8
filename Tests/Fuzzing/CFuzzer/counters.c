#include "fuzzer.h"

// libFuzzer clears this section before each run and reads it afterwards.
__attribute__((section("__libfuzzer_extra_counters"), used)) static uint8_t counters[1 << 14];

void swiftplay_fuzzer_mark(uint64_t hash) { counters[hash % sizeof counters] = 1; }
