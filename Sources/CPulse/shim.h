// libpulse: the protocol of PulseAudio, which PipeWire also supports.
#ifndef SWIFTPLAY_CPULSE_SHIM_H
#define SWIFTPLAY_CPULSE_SHIM_H
#include <pulse/pulseaudio.h>
#endif
