// Vector drawing for the controls of the floating window.
#ifndef SWIFTPLAY_CCAIRO_SHIM_H
#define SWIFTPLAY_CCAIRO_SHIM_H
#include <cairo/cairo.h>
#endif
