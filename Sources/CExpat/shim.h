// Expat parses XML: the manifests of DASH streams.
#ifndef SWIFTPLAY_CEXPAT_SHIM_H
#define SWIFTPLAY_CEXPAT_SHIM_H
#include <expat.h>
#endif
