// Changes the speed of sound and keeps its pitch.
#ifndef SWIFTPLAY_CSONIC_SHIM_H
#define SWIFTPLAY_CSONIC_SHIM_H
#include <sonic.h>
#endif
