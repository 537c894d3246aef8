// Keys that a test presses: the XTest extension.
#ifndef SWIFTPLAY_CXTEST_SHIM_H
#define SWIFTPLAY_CXTEST_SHIM_H
#include <xcb/xcb.h>
#include <xcb/xtest.h>
#endif
