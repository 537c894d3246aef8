#include "fuzzer.h"

// libFuzzer reads this section after each run and clears it before.
__attribute__((section("__libfuzzer_extra_counters"), used)) static uint8_t counters[1 << 14];

void swiftplay_fuzzer_saw(uint64_t hash) { counters[hash % sizeof counters] = 1; }
