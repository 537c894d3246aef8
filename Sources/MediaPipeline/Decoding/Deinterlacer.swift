import CFFmpeg

/// FFmpeg's bwdif filter: produces one full picture from each field. Each field is a separate moment, so motion stays
/// as smooth as it was filmed (50 or 60 pictures a second).
///
/// The filter accepts pictures of one size and pixel format. It holds back one picture, because filtering needs the
/// following picture. Used by one thread.
final class Deinterlacer {
    /// The size and pixel format that all pictures of one filter must have.
    struct PictureFormat: Equatable {
        var width: Int32
        var height: Int32
        /// The pixel format (`AVPixelFormat`).
        var format: Int32

        init(_ frame: UnsafeMutablePointer<AVFrame>) {
            (width, height, format) = (frame.pointee.width, frame.pointee.height, frame.pointee.format)
        }
    }

    /// The times of a picture before or after the deinterlacing filter.
    struct PictureTiming {
        /// The time on the item's timeline, in nanoseconds.
        var time: Int64
        /// The display duration in nanoseconds.
        var duration: Int64
        /// The timestamp in the stream's time base; nil if there is none.
        var pts: Int64?
        /// Whether the filter produces two pictures from this picture.
        var yieldsTwoPictures: Bool
    }

    /// The size and pixel format of the pictures that this filter accepts.
    let pictureFormat: PictureFormat
    /// Whether the filter also deinterlaces pictures that are not marked as interlaced.
    let includesProgressive: Bool
    /// The functions of libavfilter, a library that is loaded at run time.
    private let library: cffmpeg_filters
    /// libavfilter's graph of the filters; owned by this object.
    private var graph: UnsafeMutablePointer<AVFilterGraph>?
    // The filters at the graph's start and end, to which pictures are passed and from which they are taken; owned by
    // the graph.
    private var source: UnsafeMutablePointer<AVFilterContext>?
    private var sink: UnsafeMutablePointer<AVFilterContext>?
    /// The times of the last pictures that were passed to the filter, oldest first; at most eight.
    private var inputTimings: [PictureTiming] = []

    /// Creates a filter for pictures with the size and the pixel format of `frame`.
    ///
    /// - Parameter includesProgressive: Whether pictures that are not marked as interlaced are filtered too.
    init(for frame: UnsafeMutablePointer<AVFrame>, includesProgressive: Bool) throws(MediaError) {
        pictureFormat = PictureFormat(frame)
        self.includesProgressive = includesProgressive
        var library = cffmpeg_filters()
        guard cffmpeg_load_filters(&library) != 0 else {
            throw MediaError(.unsupportedFormat, "libavfilter is missing: video is not deinterlaced")
        }
        self.library = library
        graph = library.graph_alloc?()
        guard graph != nil else { throw MediaError(.outOfMemory, "no memory for a filter") }
        // The input's time base is 1 ns; bwdif halves it for its output. Each frame keeps its own aspect ratio.
        source = try makeFilter(
            "buffer",
            "video_size=\(pictureFormat.width)x\(pictureFormat.height):pix_fmt=\(pictureFormat.format)"
                + ":time_base=1/1000000000:pixel_aspect=1/1")
        let filter = try makeFilter(
            "bwdif", "mode=send_field:parity=auto:deint=\(includesProgressive ? "all" : "interlaced")")
        sink = try makeFilter("buffersink", nil)
        guard library.link?(source, 0, filter, 0) == 0, library.link?(filter, 0, sink, 0) == 0,
            let code = library.graph_config?(graph, nil), code >= 0
        else {
            throw MediaError(
                .unsupportedFormat, "this video cannot be deinterlaced: it is shown unchanged")
        }
    }

    deinit { library.graph_free?(&graph) }

    /// Adds a filter of libavfilter to the graph.
    private func makeFilter(_ name: String, _ arguments: String?) throws(MediaError) -> UnsafeMutablePointer<
        AVFilterContext
    > {
        var newFilter: UnsafeMutablePointer<AVFilterContext>?
        guard let filter = library.get_by_name?(name),
            let code = library.create_filter?(&newFilter, filter, name, arguments, nil, graph), code >= 0, let newFilter
        else {
            throw MediaError(
                .unsupportedFormat, "FFmpeg's filter \(name) is missing: video is not deinterlaced")
        }
        return newFilter
    }

    /// Passes a picture to the filter, which adds a reference to it.
    func push(_ frame: UnsafeMutablePointer<AVFrame>, _ timing: PictureTiming) throws(MediaError) {
        inputTimings.append(timing)
        if inputTimings.count > 8 { inputTimings.removeFirst() }
        frame.pointee.pts = timing.time
        let code = library.add_frame?(source, frame, Int32(AV_BUFFERSRC_FLAG_KEEP_REF)) ?? -1
        if code == cffmpeg_error(ENOMEM) { throw MediaError(.outOfMemory, "no memory for a filtered picture") }
    }

    /// Signals that no more pictures follow, so that ``pull(into:)`` returns the picture that the filter holds back.
    func signalEnd() { _ = library.add_frame?(source, nil, 0) }

    /// Stores the next filtered picture in `frame` and returns its times; nil if no picture is ready. The caller unrefs
    /// `frame`.
    func pull(into frame: UnsafeMutablePointer<AVFrame>) -> PictureTiming? {
        guard let code = library.get_frame?(sink, frame), code >= 0 else { return nil }
        let sinkTimeBase = library.get_time_base?(sink) ?? AVRational(num: 1, den: 1_000_000_000)
        let time =
            frame.pointee.pts == cffmpeg_no_pts
            ? inputTimings.last?.time ?? 0 : av_rescale_q(frame.pointee.pts, sinkTimeBase, TimeBase.nanoseconds)
        guard let inputTiming = inputTimings.last(where: { $0.time <= time }) ?? inputTimings.last else { return nil }
        guard inputTiming.yieldsTwoPictures else {
            return PictureTiming(
                time: time, duration: inputTiming.duration, pts: inputTiming.pts, yieldsTwoPictures: false)
        }
        // Rounding may add one nanosecond to the time of the first of the two pictures that the filter makes from one.
        let isFirst = time - inputTiming.time <= 1
        return PictureTiming(
            time: time, duration: inputTiming.duration / 2, pts: isFirst ? inputTiming.pts : nil,
            yieldsTwoPictures: true)
    }
}
