// uchardet detects the character set of a text; the C library's iconv converts it.
#ifndef SWIFTPLAY_CUCHARDET_SHIM_H
#define SWIFTPLAY_CUCHARDET_SHIM_H
#include <uchardet/uchardet.h>
#include <iconv.h>
#include <stddef.h>

// On failure iconv_open returns (iconv_t)-1, which Swift cannot compare; this function returns NULL instead.
static inline iconv_t cuchardet_iconv_open(const char *from) {
    iconv_t made = iconv_open("UTF-8", from);
    return made == (iconv_t)-1 ? 0 : made;
}
#endif
