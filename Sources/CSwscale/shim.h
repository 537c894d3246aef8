// libswscale: scaling and conversion of pixels.
#ifndef SWIFTPLAY_CSWSCALE_SHIM_H
#define SWIFTPLAY_CSWSCALE_SHIM_H
#include <libavutil/pixdesc.h>
#include <libavutil/pixfmt.h>
#include <libswscale/swscale.h>
#endif
