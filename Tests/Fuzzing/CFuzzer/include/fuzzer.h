// libFuzzer's driver, and counters of ours that it takes for coverage: FFmpeg is a library of the system and has none.
#ifndef SWIFTPLAY_FUZZER_H
#define SWIFTPLAY_FUZZER_H
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));
/// Marks an outcome as seen in this run.
void swiftplay_fuzzer_saw(uint64_t hash);
#endif
