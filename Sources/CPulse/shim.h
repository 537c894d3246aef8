// libpulse: the sound server's own protocol, spoken by PulseAudio and by PipeWire.
#ifndef SWIFTPLAY_CPULSE_SHIM_H
#define SWIFTPLAY_CPULSE_SHIM_H
#include <pulse/pulseaudio.h>
#endif
