// libass: layout and rendering of ASS/SSA subtitles.
#ifndef SWIFTPLAY_CASS_SHIM_H
#define SWIFTPLAY_CASS_SHIM_H
#include <ass/ass.h>
#include <stdarg.h>

// By default libass reports every missing glyph on standard error. This callback discards the messages. It receives a
// va_list, so it cannot be written in Swift.
static inline void cass_ignore_message(int level, const char *format, va_list arguments, void *data) {
    (void)level; (void)format; (void)arguments; (void)data;
}
static inline void cass_discard_messages(ASS_Library *library) { ass_set_message_cb(library, cass_ignore_message, 0); }
#endif
