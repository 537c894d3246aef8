// Subtitles as ASS/SSA describe them, laid out and drawn by libass.
#ifndef SWIFTPLAY_CASS_SHIM_H
#define SWIFTPLAY_CASS_SHIM_H
#include <ass/ass.h>
#include <stdarg.h>

// Its default writes every missing glyph to standard error; a callback with a va_list cannot be written in Swift.
static inline void cass_say_nothing(int level, const char *format, va_list arguments, void *data) {
    (void)level; (void)format; (void)arguments; (void)data;
}
static inline void cass_silence(ASS_Library *library) { ass_set_message_cb(library, cass_say_nothing, 0); }
#endif
