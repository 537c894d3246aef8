// cairo: vector drawing for the player's controls and text.
#ifndef SWIFTPLAY_CCAIRO_SHIM_H
#define SWIFTPLAY_CCAIRO_SHIM_H
#include <cairo/cairo.h>
#endif
