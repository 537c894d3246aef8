// FFmpeg's containers, codecs, filters, scaler and resampler, with wrappers for what Swift cannot import.
#ifndef SWIFTPLAY_CFFMPEG_SHIM_H
#define SWIFTPLAY_CFFMPEG_SHIM_H
#include <dlfcn.h>
#include <stdio.h>
#include <libavcodec/avcodec.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavformat/avformat.h>
#include <libavutil/aes.h>
#include <libavutil/avutil.h>
#include <libavutil/base64.h>
#include <libavutil/channel_layout.h>
#include <libavutil/display.h>
#include <libavutil/hash.h>
#include <libavutil/imgutils.h>
#include <libavutil/log.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

// AVERROR(), the error tags and AV_NOPTS_VALUE are macros with casts, which Swift does not import.
static inline int cffmpeg_error(int number) { return AVERROR(number); }
static const int cffmpeg_error_eof = AVERROR_EOF;
static const int cffmpeg_error_exit = AVERROR_EXIT;
static const int cffmpeg_error_invalid_data = AVERROR_INVALIDDATA;
static const int cffmpeg_error_decoder_not_found = AVERROR_DECODER_NOT_FOUND;
static const int cffmpeg_error_protocol_not_found = AVERROR_PROTOCOL_NOT_FOUND;
static const int64_t cffmpeg_no_pts = AV_NOPTS_VALUE;

// FFmpeg 5.x calls a custom get_buffer2 on its frame threads only if the field `thread_safe_callbacks` is set. FFmpeg
// 6.0 always does so, and 7.0 removed the field.
static inline void cffmpeg_declare_thread_safe_callbacks(AVCodecContext *context) {
#if LIBAVCODEC_VERSION_MAJOR < 60
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
    context->thread_safe_callbacks = 1;
#pragma clang diagnostic pop
#else
    (void)context;
#endif
}
// FFmpeg 6.1/7.0 moved stream side data, such as the display matrix, to the codec parameters.
static inline const uint8_t *cffmpeg_stream_side_data(
    const AVStream *stream, enum AVPacketSideDataType type, size_t *size) {
#if LIBAVFORMAT_VERSION_MAJOR >= 61
    const AVPacketSideData *d = av_packet_side_data_get(
        stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, type);
    if (size) *size = d ? d->size : 0;
    return d ? d->data : 0;
#else
    return av_stream_get_side_data(stream, type, size);
#endif
}
// Since FFmpeg 7.1 a stream reports the container's cropping (clean aperture, PixelCrop): left, top, right, bottom.
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
static const int cffmpeg_reports_crop = 1;
#else
static const int cffmpeg_reports_crop = 0;
#endif
static inline int cffmpeg_stream_crop(
    const AVStream *stream, uint32_t *left, uint32_t *top, uint32_t *right, uint32_t *bottom) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
    size_t size = 0;
    const uint8_t *d = cffmpeg_stream_side_data(stream, AV_PKT_DATA_FRAME_CROPPING, &size);
    if (!d || size < 16) return 0;
    // The side data consists of four little-endian 32-bit numbers: top, bottom, left, right.
    uint32_t *edges[] = { top, bottom, left, right };
    for (int i = 0; i < 4; i++, d += 4) *edges[i] = d[0] | d[1] << 8 | d[2] << 16 | (uint32_t)d[3] << 24;
    return 1;
#else
    (void)stream; (void)left; (void)top; (void)right; (void)bottom;
    return 0;
#endif
}
// Before FFmpeg 6.0 the field for the frame's duration was `pkt_duration`.
static inline int64_t cffmpeg_frame_duration(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_MAJOR >= 58
    return frame->duration;
#else
    return frame->pkt_duration;
#endif
}
// Returns whether a packet contains a key frame.
static inline int cffmpeg_is_key_packet(const AVPacket *packet) { return (packet->flags & AV_PKT_FLAG_KEY) != 0; }
// The type of avio_alloc_context's write callback differs between major versions. SwiftPlay only reads, so this
// function passes no write callback.
typedef int (*cffmpeg_read_function)(void *opaque, uint8_t *bytes, int count);
typedef int64_t (*cffmpeg_seek_function)(void *opaque, int64_t offset, int whence);
static inline AVIOContext *cffmpeg_io_context(
    int size, void *opaque, cffmpeg_read_function read, cffmpeg_seek_function seek) {
    unsigned char *buffer = av_malloc((size_t)size);
    if (!buffer) return 0;
    AVIOContext *io = avio_alloc_context(buffer, size, 0, opaque, read, 0, seek);
    if (!io) av_free(buffer);
    return io;
}
// FFmpeg 6.1 introduced a flag for interlaced frames, and 8.0 removed the field `interlaced_frame`.
static inline int cffmpeg_is_interlaced(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    return (frame->flags & AV_FRAME_FLAG_INTERLACED) != 0;
#else
    return frame->interlaced_frame;
#endif
}

// libavfilter is loaded only when the first interlaced picture needs it: linking it would cost every program start
// about 10 ms and 7 MB.
typedef struct {
    __typeof__(&avfilter_graph_alloc) graph_alloc;
    __typeof__(&avfilter_graph_free) graph_free;
    __typeof__(&avfilter_graph_create_filter) create_filter;
    __typeof__(&avfilter_graph_config) graph_config;
    __typeof__(&avfilter_get_by_name) get_by_name;
    __typeof__(&avfilter_link) link;
    __typeof__(&av_buffersrc_add_frame_flags) add_frame;
    __typeof__(&av_buffersink_get_frame) get_frame;
    __typeof__(&av_buffersink_get_time_base) get_time_base;
} cffmpeg_filters;
// Loads libavfilter, which is never unloaded. Returns 1, or 0 if libavfilter is not available.
static inline int cffmpeg_load_filters(cffmpeg_filters *filters) {
    char name[32];
    snprintf(name, sizeof name, "libavfilter.so.%d", LIBAVFILTER_VERSION_MAJOR);
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    filters->graph_alloc = (__typeof__(&avfilter_graph_alloc))dlsym(library, "avfilter_graph_alloc");
    filters->graph_free = (__typeof__(&avfilter_graph_free))dlsym(library, "avfilter_graph_free");
    filters->create_filter = (__typeof__(&avfilter_graph_create_filter))dlsym(library, "avfilter_graph_create_filter");
    filters->graph_config = (__typeof__(&avfilter_graph_config))dlsym(library, "avfilter_graph_config");
    filters->get_by_name = (__typeof__(&avfilter_get_by_name))dlsym(library, "avfilter_get_by_name");
    filters->link = (__typeof__(&avfilter_link))dlsym(library, "avfilter_link");
    filters->add_frame = (__typeof__(&av_buffersrc_add_frame_flags))dlsym(library, "av_buffersrc_add_frame_flags");
    filters->get_frame = (__typeof__(&av_buffersink_get_frame))dlsym(library, "av_buffersink_get_frame");
    filters->get_time_base = (__typeof__(&av_buffersink_get_time_base))dlsym(library, "av_buffersink_get_time_base");
    return filters->graph_alloc && filters->graph_free && filters->create_filter && filters->graph_config
        && filters->get_by_name && filters->link && filters->add_frame && filters->get_frame && filters->get_time_base;
}
#endif
