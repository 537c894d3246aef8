// Terminal graphics: symbols, sixels, kitty and iTerm2 images from pixels.
#ifndef SWIFTPLAY_CCHAFA_SHIM_H
#define SWIFTPLAY_CCHAFA_SHIM_H
#include <chafa.h>
#endif
