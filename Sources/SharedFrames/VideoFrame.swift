import Synchronization

/// One decoded picture: shared memory, its format and its timestamps. Immutable.
package final class VideoFrame: Sendable {
    /// The number of the frame, which increases with each frame that the process decodes or draws. Dropped frames also
    /// have numbers, so that gaps between the numbers of shown frames reveal dropped frames.
    package let id: UInt64
    /// The memory with the samples.
    package let buffer: FrameBuffer
    /// The layout of the samples in memory, and their meaning, such as colour.
    package let format: FrameFormat
    /// The format before the user's ``PictureTransform``.
    package let decodedFormat: FrameFormat
    /// The presentation timestamp on the item's timeline, in nanoseconds from its start.
    package let presentationTime: Int64
    /// The display duration in nanoseconds; 0 if it is not known.
    package let duration: Int64
    /// The presentation timestamp in the container, in units of the stream's time base; nil if the container has none.
    package let streamTime: Int64?
    /// The number of the most recent seek before the frame was decoded. It distinguishes frames from before and after a
    /// seek.
    package let generation: UInt32
    /// The checksums of the decoded pictures from which filters made this frame; empty if checksums are not enabled. A
    /// filter may turn one decoded picture into several frames, or several pictures into one frame.
    package let decodedPictures: [DecodedPicture]

    /// The next frame number, shared by all players of the process.
    private static let nextID = Atomic<UInt64>(1)
    /// Returns a new frame number.
    package static func makeID() -> UInt64 { nextID.wrappingAdd(1, ordering: .relaxed).oldValue }

    package init(
        id: UInt64, buffer: FrameBuffer, format: FrameFormat, decodedFormat: FrameFormat? = nil,
        presentationTime: Int64, duration: Int64, streamTime: Int64?, generation: UInt32,
        decodedPictures: [DecodedPicture] = []
    ) {
        self.id = id
        self.buffer = buffer
        self.format = format
        self.decodedFormat = decodedFormat ?? format
        self.presentationTime = presentationTime
        self.duration = duration
        self.streamTime = streamTime
        self.generation = generation
        self.decodedPictures = decodedPictures
    }

    /// Calls `body` with the samples, which are valid only during the call.
    package func withPicture<Result>(_ body: (PictureMemory) -> Result) -> Result {
        let result = body(PictureMemory(base: UnsafeRawPointer(buffer.base), layout: format.layout))
        withExtendedLifetime(self) {}
        return result
    }
}

/// The properties and the checksum of a decoded picture before filters, as `--frame-checksums` writes them.
package struct DecodedPicture: Sendable, Equatable {
    /// The presentation timestamp in units of the stream's time base; nil if the container has none.
    package let streamTime: Int64?
    /// The width in samples.
    package let width: Int
    /// The height in samples.
    package let height: Int
    /// FFmpeg's name of the pixel format.
    package let format: String
    /// The hash of the visible samples, as FFmpeg's muxer `framehash` computes it.
    package let checksum: String

    package init(streamTime: Int64?, width: Int, height: Int, format: String, checksum: String) {
        (self.streamTime, self.width, self.height) = (streamTime, width, height)
        (self.format, self.checksum) = (format, checksum)
    }
}

/// The samples of a picture for reading, valid only while the frame that owns the memory exists.
package struct PictureMemory {
    /// The start of the picture's memory.
    package let base: UnsafeRawPointer
    /// The layout of the planes in the memory.
    package let layout: FrameLayout

    /// Creates a view of a picture's samples.
    ///
    /// - Parameter base: The start of at least `layout.requiredSize` readable bytes.
    package init(base: UnsafeRawPointer, layout: FrameLayout) {
        self.base = base
        self.layout = layout
    }

    /// Returns the first byte of a plane.
    package func plane(_ index: Int) -> UnsafeRawPointer { base + layout.planes[index].offset }
}
