// sonic: changes the speed of audio without changing its pitch.
#ifndef SWIFTPLAY_CSONIC_SHIM_H
#define SWIFTPLAY_CSONIC_SHIM_H
#include <sonic.h>
#endif
