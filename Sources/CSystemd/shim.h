// sd-bus: D-Bus without a main loop of its own. Swift imports all of it that is used; what is variadic or a macro is not.
#ifndef SWIFTPLAY_CSYSTEMD_SHIM_H
#define SWIFTPLAY_CSYSTEMD_SHIM_H
#include <systemd/sd-bus.h>
#endif
