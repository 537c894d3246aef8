// ALSA's PCM interface. Swift imports it whole but for a few macros.
#ifndef SWIFTPLAY_CALSA_SHIM_H
#define SWIFTPLAY_CALSA_SHIM_H
#include <alsa/asoundlib.h>
#endif
