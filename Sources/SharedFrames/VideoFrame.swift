import Synchronization

/// One decoded picture: shared memory, how to read it, and when it is to be seen. Immutable once made.
package final class VideoFrame: Sendable {
    /// Grows by one with each frame decoded (or drawn) by a process; survives drops, so gaps show.
    package let id: UInt64
    package let buffer: FrameBuffer
    package let format: FrameFormat
    /// Presentation timestamp on the item's timeline, nanoseconds from its start.
    package let presentationTime: Int64
    /// How long it is meant to be seen, nanoseconds; 0 = unknown.
    package let duration: Int64
    /// Presentation timestamp as the container has it, in the stream's time base; nil when it has none.
    package let streamTime: Int64?
    /// Of the seek that it was decoded after.
    package let generation: UInt32
    /// What was decoded for this frame, before any filter; only where checksums are asked for. Filters make of one
    /// decoded picture several frames, or of several one.
    package let decoded: [DecodedPicture]

    /// Frames of this process, whatever they belong to.
    private static let nextID = Atomic<UInt64>(1)
    package static func makeID() -> UInt64 { nextID.wrappingAdd(1, ordering: .relaxed).oldValue }

    package init(
        id: UInt64, buffer: FrameBuffer, format: FrameFormat, presentationTime: Int64, duration: Int64,
        streamTime: Int64?,
        generation: UInt32, decoded: [DecodedPicture] = []
    ) {
        self.id = id
        self.buffer = buffer
        self.format = format
        self.presentationTime = presentationTime
        self.duration = duration
        self.streamTime = streamTime
        self.generation = generation
        self.decoded = decoded
    }

    /// The samples, for the length of `body` only.
    package func withPicture<Result>(_ body: (PictureMemory) -> Result) -> Result {
        let result = body(PictureMemory(base: UnsafeRawPointer(buffer.base), layout: format.layout))
        withExtendedLifetime(self) {}
        return result
    }
}

/// A picture as the decoder gave it: what `--frame-checksums` writes down.
package struct DecodedPicture: Sendable, Equatable {
    /// In the stream's time base; nil when it has none.
    package let streamTime: Int64?
    package let width: Int
    package let height: Int
    /// FFmpeg's name.
    package let format: String
    /// Of the visible samples, as FFmpeg's `framemd5` has it.
    package let md5: String

    package init(streamTime: Int64?, width: Int, height: Int, format: String, md5: String) {
        (self.streamTime, self.width, self.height, self.format, self.md5) = (streamTime, width, height, format, md5)
    }
}

/// The bytes of a picture while somebody holds them open.
package struct PictureMemory {
    package let base: UnsafeRawPointer
    package let layout: FrameLayout

    /// `base` must have at least `layout.requiredSize` readable bytes.
    package init(base: UnsafeRawPointer, layout: FrameLayout) {
        self.base = base
        self.layout = layout
    }

    package func plane(_ index: Int) -> UnsafeRawPointer { base + layout.planes[index].offset }
}
