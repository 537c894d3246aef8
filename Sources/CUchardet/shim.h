// Which character set a text is written in, and the C library's conversion out of it.
#ifndef SWIFTPLAY_CUCHARDET_SHIM_H
#define SWIFTPLAY_CUCHARDET_SHIM_H
#include <uchardet/uchardet.h>
#include <iconv.h>
#include <stddef.h>

// iconv_open answers (iconv_t)-1, which Swift cannot compare with.
static inline iconv_t cuchardet_iconv_open(const char *from) {
    iconv_t made = iconv_open("UTF-8", from);
    return made == (iconv_t)-1 ? 0 : made;
}
#endif
