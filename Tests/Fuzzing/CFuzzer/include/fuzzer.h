// The driver of libFuzzer, and additional counters that libFuzzer treats as coverage. The system's FFmpeg libraries are
// not instrumented, so they report no coverage themselves.
#ifndef SWIFTPLAY_FUZZER_H
#define SWIFTPLAY_FUZZER_H
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));
/// Marks an outcome, identified by its hash, as reached in this run.
void swiftplay_fuzzer_mark(uint64_t hash);
#endif
