/// One item's audio from a start time on, to be written to the device.
struct ItemAudio<Source: Sendable>: Sendable {
    /// The number that identifies this audio in the audio pipeline's reports.
    var number: UInt32
    /// The source that decodes the audio.
    var source: Source
    /// The number of the seek or track selection for which this audio is decoded. Blocks with another number are
    /// dropped.
    var generation: UInt32
    /// The media time of the first audible sample; nil for the media time of the first decoded block.
    var start: Int64?
    /// The speed at which the audio plays; 1 is the recorded speed.
    var speed: Double
    /// The media time at which this audio ends; nil for the end of its source.
    var end: Int64?
    /// The host time at which ``start`` is to be audible; nil for directly after the samples that were written before.
    var startHostTime: Int64?
    /// Whether the pitch stays constant at speeds other than 1.
    var keepsPitch = true
}

/// The positions of items' audio in the device's stream. A pure value: audio frames count from the last flush, times
/// are nanoseconds.
///
/// The audio thread writes an ``ItemAudio`` without holding the lock around this value. Its calls therefore pass the
/// flush count (``flushCount``) that was current when the write began; after a later flush they have no effect.
struct AudioTimeline<Source: Sendable>: Sendable {
    /// The part of the device's stream that contains one item's audio.
    private struct Segment {
        /// The number of the ``ItemAudio`` whose samples the segment contains.
        var number: UInt32
        /// The position in the device's stream of the first frame of this item's audio, in frames since the last flush.
        var firstFrame: Int64
        /// The media time of the first frame of this item's audio; nil until the first decoded block arrives.
        var origin: Int64?
        /// The speed at which this item's audio plays; 1 is the recorded speed.
        var speed: Double
    }

    /// The next item's audio, which follows the current item's audio without a gap.
    private struct NextAudio {
        /// The next item's audio.
        var audio: ItemAudio<Source>
        /// The media time of the current item up to which silence is inserted if its audio ends earlier.
        var videoEndTime: Int64?
    }

    /// The number of flushes so far, by which outdated calls are recognised.
    private(set) var flushCount: UInt32 = 0
    /// The item's audio that is being written to the device; nil if there is none.
    private(set) var currentAudio: ItemAudio<Source>?
    /// The next item's audio, which follows ``currentAudio`` in the device's stream; nil if none was appended.
    private var nextAudio: NextAudio?
    /// The number of the newest ``ItemAudio``.
    private var lastNumber: UInt32 = 0
    /// The parts of the device's stream by item, oldest first; the last part is being written.
    private var segments: [Segment] = []
    /// The number of audio frames that were written to the device since the last flush.
    private(set) var writtenFrameCount: Int64 = 0
    /// Whether enough audio to start playback was written since the last flush.
    private(set) var isPrimed = false
    /// Whether the last item's audio has been played to its end.
    private(set) var hasEnded = false

    /// Returns whether two sources are the same object. A generic parameter cannot require a class here, because `any
    /// MediaSource` does not count as a class.
    private static func isSame(_ a: Source, _ b: Source) -> Bool { (a as AnyObject) === (b as AnyObject) }

    /// The maximum number of ``segments`` that are kept: the device's position may still lie in an older segment.
    private static var segmentLimit: Int { 4 }
    /// The shortest gap between two items' audio that is filled with silence, in nanoseconds: about half a video frame.
    private static var shortestFilledGap: Int64 { 15_000_000 }

    // MARK: Calls from any thread

    /// Removes all items' audio. Positions in the device's stream restart at 0.
    mutating func flush() {
        flushCount &+= 1
        (currentAudio, nextAudio, segments, writtenFrameCount) = (nil, nil, [], 0)
        (isPrimed, hasEnded) = (false, false)
    }

    /// Ends the current item's audio: no more audio is written to the device.
    mutating func close() { currentAudio = nil }

    /// Begins to write an item's audio, unless the same generation of the same source is being written.
    ///
    /// - Parameter audio: The item's audio. Its number is assigned by this method.
    /// - Returns: The number of the ``ItemAudio`` that is being written.
    mutating func begin(_ audio: ItemAudio<Source>) -> UInt32 {
        if let currentAudio, Self.isSame(currentAudio.source, audio.source),
            currentAudio.generation == audio.generation
        {
            return currentAudio.number
        }
        let audio = withNextNumber(audio)
        (currentAudio, nextAudio) = (audio, nil)
        let origin = audio.startHostTime == nil ? audio.start : nil
        segments = [Segment(number: audio.number, firstFrame: writtenFrameCount, origin: origin, speed: audio.speed)]
        return audio.number
    }

    /// Appends the next item's audio to the current item's audio, at the same speed.
    ///
    /// - Parameter videoEndTime: The media time of the current item up to which silence is inserted if its audio ends
    ///   earlier.
    /// - Returns: The number of the new ``ItemAudio``; nil if the current item's audio has ended or is already followed
    ///   by another.
    mutating func appendNext(_ audio: ItemAudio<Source>, after videoEndTime: Int64?) -> UInt32? {
        guard let currentAudio, !hasEnded, nextAudio == nil else { return nil }
        var audio = withNextNumber(audio)
        audio.speed = currentAudio.speed
        nextAudio = NextAudio(audio: audio, videoEndTime: videoEndTime)
        return audio.number
    }

    /// Returns an item's audio with the next unused number.
    private mutating func withNextNumber(_ audio: ItemAudio<Source>) -> ItemAudio<Source> {
        lastNumber &+= 1
        var audio = audio
        audio.number = lastNumber
        return audio
    }

    /// Removes the next item's audio, which was to follow the current item's audio.
    ///
    /// - Returns: false if it is already being written.
    mutating func removeNext(_ number: UInt32) -> Bool {
        guard nextAudio?.audio.number == number else { return false }
        nextAudio = nil
        return true
    }

    /// Sets the media time at which an item's audio ends; nil for its source's end.
    mutating func setEnd(_ end: Int64?, of number: UInt32) {
        if currentAudio?.number == number { currentAudio?.end = end }
        if nextAudio?.audio.number == number { nextAudio?.audio.end = end }
    }

    /// Continues an item's audio with another generation (seek or track selection) of its source.
    ///
    /// - Returns: false if this audio is not being written or has ended.
    mutating func setGeneration(of number: UInt32, to generation: UInt32) -> Bool {
        guard currentAudio?.number == number, !hasEnded else { return false }
        currentAudio?.generation = generation
        return true
    }

    // MARK: Calls from the audio thread

    /// Returns the media time of the first frame of an item's audio: its start, or without a start the time of its
    /// first block.
    ///
    /// - Returns: The media time; nil if the timeline was flushed meanwhile.
    mutating func origin(of audio: ItemAudio<Source>, flushCount: UInt32?, firstBlock time: Int64) -> Int64? {
        guard flushCount == self.flushCount, let lastIndex = segments.indices.last,
            segments[lastIndex].number == audio.number
        else { return nil }
        let origin = segments[lastIndex].origin ?? audio.start ?? time
        segments[lastIndex].origin = origin
        return origin
    }

    /// Positions an item's audio in the device's stream so that it is audible at a host time. If that time has passed,
    /// the beginning of the audio is skipped.
    ///
    /// - Parameters:
    ///   - frame: The frame of the device's stream that is audible at that host time.
    ///   - limit: The maximum number of frames of silence that are written at a time. If more are missing, the position
    ///     is not decided yet.
    /// - Returns: The number of frames missing before the item's audio; nil if the timeline was flushed meanwhile.
    mutating func align(
        _ audio: ItemAudio<Source>, at frame: Double, rate: Int, limit: Int, flushCount: UInt32
    ) -> Double? {
        guard flushCount == self.flushCount, let lastIndex = segments.indices.last else { return nil }
        let missingFrameCount = frame - Double(writtenFrameCount)
        guard missingFrameCount < Double(limit) else { return missingFrameCount }
        let skippedDuration = max(-missingFrameCount, 0) / Double(rate) * audio.speed * 1e9
        segments[lastIndex].firstFrame = writtenFrameCount + Int64(max(missingFrameCount, 0).rounded())
        segments[lastIndex].origin = (audio.start ?? 0) + Int64(min(skippedDuration, 4e18))
        return missingFrameCount
    }

    /// Counts audio frames that were written to the device.
    mutating func didWrite(_ frameCount: Int) { writtenFrameCount += Int64(frameCount) }

    /// Makes the next item's audio the current audio.
    ///
    /// - Parameter reachedTime: The media time up to which the current item's audio was written.
    /// - Returns: The next item's audio and the number of frames of silence before it; nil if no audio follows.
    mutating func continueWithNextAudio(
        after current: ItemAudio<Source>, reachedTime: Int64?, rate: Int, flushCount: UInt32
    ) -> (audio: ItemAudio<Source>, silentFrameCount: Int)? {
        guard flushCount == self.flushCount, !hasEnded, let next = nextAudio else { return nil }
        // If the video of the current item is longer than its audio, silence fills the difference, so that the next
        // item's audio starts with its picture.
        let videoEndTime = next.videoEndTime.map { min($0, current.end ?? .max) }
        var silentFrameCount = 0
        if let videoEndTime, let endTime = reachedTime ?? current.start, videoEndTime - endTime > Self.shortestFilledGap
        {
            let duration = Double(min(videoEndTime - endTime, 60_000_000_000)) / current.speed
            silentFrameCount = Int(duration * Double(rate) / 1e9)
        }
        (currentAudio, nextAudio) = (next.audio, nil)
        segments.append(
            Segment(
                number: next.audio.number, firstFrame: writtenFrameCount + Int64(silentFrameCount),
                origin: next.audio.start, speed: next.audio.speed))
        if segments.count > Self.segmentLimit { segments.removeFirst() }
        return (next.audio, silentFrameCount)
    }

    /// Records that enough audio was written to start playback.
    ///
    /// - Returns: The number of the current ``ItemAudio`` on the first call after a flush; nil on later calls.
    mutating func markPrimed(flushCount: UInt32) -> UInt32? {
        guard flushCount == self.flushCount, !isPrimed, let currentAudio else { return nil }
        isPrimed = true
        return currentAudio.number
    }

    /// Records that the device has played all audio.
    ///
    /// - Returns: The number of the last ``ItemAudio`` on the first call; nil on later calls, or if another item's
    ///   audio follows.
    mutating func markEnded() -> UInt32? {
        guard let currentAudio, !hasEnded, nextAudio == nil else { return nil }
        hasEnded = true
        return currentAudio.number
    }

    // MARK: Change of device

    /// Continues the current item's audio on a new device, whose stream is empty, at media time `origin`; nil for the
    /// media time of the next block.
    mutating func restartOnNewDevice(at origin: Int64?) {
        if let audio = currentAudio {
            segments = [Segment(number: audio.number, firstFrame: 0, origin: origin, speed: audio.speed)]
        }
        writtenFrameCount = 0
    }

    /// Converts the positions to the stream of another device. The new stream begins with the old stream's frame number
    /// `frameCount`, and `writtenFrameCount` frames were already written to it.
    mutating func shiftPositions(by frameCount: Int64, writtenFrameCount: Int64) {
        self.writtenFrameCount = writtenFrameCount
        for index in segments.indices { segments[index].firstFrame -= frameCount }
    }

    // MARK: Positions

    /// Returns the media time of an item's audio at a frame of the device's stream; nil while it is unknown. Before the
    /// first frame of this audio, the media time lies before the audio's start.
    func mediaTime(of number: UInt32, at frame: Int64, rate: Int) -> Int64? {
        guard let segment = segments.first(where: { $0.number == number }), let origin = segment.origin
        else { return nil }
        return origin + Int64(Double(frame - segment.firstFrame) * 1e9 / Double(rate) * segment.speed)
    }

    /// Returns the position in the device's stream of the first frame of an item's audio; nil while it is unknown.
    func firstFrame(of number: UInt32) -> Int64? { segments.first { $0.number == number }?.firstFrame }
}
