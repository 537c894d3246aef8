// Which devices come and go.
#ifndef SWIFTPLAY_CUDEV_SHIM_H
#define SWIFTPLAY_CUDEV_SHIM_H
#include <libudev.h>
#endif
