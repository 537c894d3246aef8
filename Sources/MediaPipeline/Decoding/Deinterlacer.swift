import CFFmpeg

/// FFmpeg's bwdif filter: produces one full picture from each field. Each field is a separate moment, so motion stays
/// as smooth as it was filmed (50 or 60 pictures a second).
///
/// Filters pictures of one shape. Holds back one picture, because the filter needs the picture after it. One thread.
final class Deinterlacer {
    /// The properties that all pictures of one filter must share.
    struct Shape: Equatable {
        var width: Int32
        var height: Int32
        var format: Int32

        init(_ frame: UnsafeMutablePointer<AVFrame>) {
            (width, height, format) = (frame.pointee.width, frame.pointee.height, frame.pointee.format)
        }
    }

    /// A picture passed to the filter.
    struct Input {
        /// The time on the item's timeline, in nanoseconds.
        var time: Int64
        var duration: Int64
        var streamTime: Int64?
        /// Whether the filter produces two pictures from this picture.
        var isDoubled: Bool
    }

    let shape: Shape
    let includesProgressive: Bool
    private let library: cffmpeg_filters
    /// The filter graph; owned by this object.
    private var graph: UnsafeMutablePointer<AVFilterGraph>?
    // Owned by the graph.
    private var source: UnsafeMutablePointer<AVFilterContext>?
    private var sink: UnsafeMutablePointer<AVFilterContext>?
    /// The pictures still in the filter, oldest first; at most eight.
    private var inputs: [Input] = []

    /// - Parameter includesProgressive: Whether pictures that are not marked as interlaced are filtered too.
    init(for frame: UnsafeMutablePointer<AVFrame>, includesProgressive: Bool) throws(MediaError) {
        shape = Shape(frame)
        self.includesProgressive = includesProgressive
        var library = cffmpeg_filters()
        guard cffmpeg_load_filters(&library) != 0 else {
            throw MediaError(.unsupportedFormat, "libavfilter is missing: interlaced pictures are shown unfiltered")
        }
        self.library = library
        graph = library.graph_alloc?()
        guard graph != nil else { throw MediaError(.outOfMemory, "no memory for a filter") }
        // The time base is nanoseconds; bwdif outputs half nanoseconds. The aspect ratio passes through in the frames.
        source = try make(
            "buffer",
            "video_size=\(shape.width)x\(shape.height):pix_fmt=\(shape.format):time_base=1/1000000000:pixel_aspect=1/1")
        let filter = try make(
            "bwdif", "mode=send_field:parity=auto:deint=\(includesProgressive ? "all" : "interlaced")")
        sink = try make("buffersink", nil)
        guard library.link?(source, 0, filter, 0) == 0, library.link?(filter, 0, sink, 0) == 0,
            let code = library.graph_config?(graph, nil), code >= 0
        else {
            throw MediaError(
                .unsupportedFormat, "these interlaced pictures cannot be filtered: they are shown as they are")
        }
    }

    deinit { library.graph_free?(&graph) }

    private func make(_ name: String, _ arguments: String?) throws(MediaError) -> UnsafeMutablePointer<AVFilterContext>
    {
        var made: UnsafeMutablePointer<AVFilterContext>?
        guard let filter = library.get_by_name?(name),
            let code = library.create_filter?(&made, filter, name, arguments, nil, graph), code >= 0, let made
        else {
            throw MediaError(
                .unsupportedFormat, "FFmpeg's filter \(name) is missing: interlaced pictures are shown as they are")
        }
        return made
    }

    /// Passes a picture to the filter, which adds a reference to it.
    func push(_ frame: UnsafeMutablePointer<AVFrame>, _ input: Input) throws(MediaError) {
        inputs.append(input)
        if inputs.count > 8 { inputs.removeFirst() }
        frame.pointee.pts = input.time
        let code = library.add_frame?(source, frame, Int32(AV_BUFFERSRC_FLAG_KEEP_REF)) ?? -1
        if code == cffmpeg_error(ENOMEM) { throw MediaError(.outOfMemory, "no memory for a filtered picture") }
    }

    /// Signals the end: pictures held back can be pulled.
    func finish() { _ = library.add_frame?(source, nil, 0) }

    /// Returns the next filtered picture with its times; nil if none is ready. The caller unrefs `frame`.
    func pull(into frame: UnsafeMutablePointer<AVFrame>) -> Input? {
        guard let code = library.get_frame?(sink, frame), code >= 0 else { return nil }
        let base = library.get_time_base?(sink) ?? AVRational(num: 1, den: 1_000_000_000)
        let time =
            frame.pointee.pts == cffmpeg_no_pts
            ? inputs.last?.time ?? 0 : av_rescale_q(frame.pointee.pts, base, TimeBase.nanoseconds)
        guard let origin = inputs.last(where: { $0.time <= time }) ?? inputs.last else { return nil }
        guard origin.isDoubled else {
            return Input(time: time, duration: origin.duration, streamTime: origin.streamTime, isDoubled: false)
        }
        // Allow one nanosecond of rounding.
        let isFirst = time - origin.time <= 1
        return Input(
            time: time, duration: origin.duration / 2, streamTime: isFirst ? origin.streamTime : nil, isDoubled: true)
    }
}
