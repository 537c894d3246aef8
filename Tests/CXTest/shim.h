// The XTest extension, with which tests simulate key presses.
#ifndef SWIFTPLAY_CXTEST_SHIM_H
#define SWIFTPLAY_CXTEST_SHIM_H
#include <xcb/xcb.h>
#include <xcb/xtest.h>
#endif
