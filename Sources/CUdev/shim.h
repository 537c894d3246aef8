// libudev: notifications of added and removed devices.
#ifndef SWIFTPLAY_CUDEV_SHIM_H
#define SWIFTPLAY_CUDEV_SHIM_H
#include <libudev.h>
#endif
