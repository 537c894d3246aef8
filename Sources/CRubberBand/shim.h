// Changes the speed of sound and keeps its pitch.
#ifndef SWIFTPLAY_CRUBBERBAND_SHIM_H
#define SWIFTPLAY_CRUBBERBAND_SHIM_H
#include <rubberband/rubberband-c.h>
// Options are enumerators joined with |, which Swift does not fold.
static const int crubberband_options = RubberBandOptionProcessRealTime | RubberBandOptionEngineFaster
    | RubberBandOptionThreadingNever | RubberBandOptionTransientsCrisp | RubberBandOptionPitchHighSpeed;
#endif
