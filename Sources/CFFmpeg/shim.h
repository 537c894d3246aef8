// FFmpeg's containers, codecs and resampler, and what Swift cannot import of them.
#ifndef SWIFTPLAY_CFFMPEG_SHIM_H
#define SWIFTPLAY_CFFMPEG_SHIM_H
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/log.h>
#include <libavutil/md5.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>

// AVERROR(), the tags made from it and AV_NOPTS_VALUE are macros with casts.
static inline int cffmpeg_error(int number) { return AVERROR(number); }
static const int cffmpeg_error_eof = AVERROR_EOF;
static const int cffmpeg_error_exit = AVERROR_EXIT;
static const int cffmpeg_error_invalid_data = AVERROR_INVALIDDATA;
static const int cffmpeg_error_decoder_not_found = AVERROR_DECODER_NOT_FOUND;
static const int cffmpeg_error_protocol_not_found = AVERROR_PROTOCOL_NOT_FOUND;
static const int64_t cffmpeg_no_pts = AV_NOPTS_VALUE;

// FFmpeg 5.x refuses frame threads with a get_buffer2 of one's own unless this is set; 6.0 made it the rule and 7.0
// dropped the field.
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
// The display matrix moved from the stream to its codec parameters in 6.1/7.0.
static inline const uint8_t *cffmpeg_stream_side_data(const AVStream *stream, enum AVPacketSideDataType type, size_t *size) {
#if LIBAVFORMAT_VERSION_MAJOR >= 61
    const AVPacketSideData *d = av_packet_side_data_get(stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, type);
    if (size) *size = d ? d->size : 0;
    return d ? d->data : 0;
#else
    return av_stream_get_side_data(stream, type, size);
#endif
}
// Frame durations were pkt_duration before 6.0.
static inline int64_t cffmpeg_frame_duration(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_MAJOR >= 58
    return frame->duration;
#else
    return frame->pkt_duration;
#endif
}
// Key frames became a flag in 6.1.
static inline int cffmpeg_is_key_packet(const AVPacket *packet) { return (packet->flags & AV_PKT_FLAG_KEY) != 0; }
// avio_alloc_context's write callback changed its type between majors: ours never writes.
typedef int (*cffmpeg_read_function)(void *opaque, uint8_t *bytes, int count);
typedef int64_t (*cffmpeg_seek_function)(void *opaque, int64_t offset, int whence);
static inline AVIOContext *cffmpeg_io_context(int size, void *opaque, cffmpeg_read_function read, cffmpeg_seek_function seek) {
    unsigned char *buffer = av_malloc((size_t)size);
    if (!buffer) return 0;
    AVIOContext *io = avio_alloc_context(buffer, size, 0, opaque, read, 0, seek);
    if (!io) av_free(buffer);
    return io;
}
#endif
