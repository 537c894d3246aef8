// ALSA's PCM and control interfaces. Swift imports all of them except a few macros.
#ifndef SWIFTPLAY_CALSA_SHIM_H
#define SWIFTPLAY_CALSA_SHIM_H
#include <alsa/asoundlib.h>

// By default alsa-lib writes error messages to standard error. This handler discards them, because callers also receive
// error codes. It is variadic, so it cannot be written in Swift.
static inline void calsa_ignore_message(
    const char *file, int line, const char *function, int error, const char *format, ...) {
    (void)file; (void)line; (void)function; (void)error; (void)format;
}
static inline void calsa_discard_messages(void) { snd_lib_error_set_handler(calsa_ignore_message); }
// The channel positions (`snd_pcm_chmap_t.pos`) are an array without a declared length, which Swift does not import.
static inline unsigned int calsa_chmap_position(const snd_pcm_chmap_t *map, unsigned int index) {
    return map->pos[index];
}
static inline unsigned int calsa_chmap_count(const snd_pcm_chmap_t *map) { return map->channels; }
static inline const snd_pcm_chmap_t *calsa_queried_chmap(const snd_pcm_chmap_query_t *entry) { return &entry->map; }
#endif
