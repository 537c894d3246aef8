import SharedFrames
import SystemCalls

/// An output that gives a program the pictures of an item while it plays (AVPlayerItemVideoOutput).
/// Safe to use from any thread.
///
/// Each output records which pictures the program has taken from it. Add one output for each consumer.
public final class PlayerItemVideoOutput: Sendable {
    /// The mutable part of the output.
    fileprivate struct State {
        /// The frames that are due now or soon, in order of time.
        var frames: [VideoFrame] = []
        /// The id of the frame that the program took last.
        var lastTakenFrameID: UInt64?
        /// The item to which the output is attached.
        weak var item: PlayerItem?
        /// Whether the player's layer shows no pictures of the item.
        var suppressesPlayerRendering = false
    }

    /// The maximum number of frames that an output keeps: the current frame and the next two.
    private static let frameLimit = 3

    private let state = Monitor(State())
    /// The streams that ``sequenceFlushes`` has returned and that are still read, by their numbers.
    private let flushStreams = Monitor<[UInt64: AsyncStream<Void>.Continuation]>([:])

    /// Creates an output. Attach it with ``PlayerItem/add(_:)``.
    public init() {}

    deinit {
        Application.shared.removeWindow(ObjectIdentifier(self))
        for continuation in flushStreams.withLock({ Array($0.values) }) { continuation.finish() }
    }

    /// Whether the player's layer shows no pictures of the item, because the program draws them itself; false by
    /// default (AVPlayerItemOutput.suppressesPlayerRendering). The audio still plays.
    public var suppressesPlayerRendering: Bool {
        get { state.withLock { $0.suppressesPlayerRendering } }
        set {
            let item = state.withLock { state in
                state.suppressesPlayerRendering = newValue
                return state.item
            }
            item?.player?.applyChange(of: .outputs)
        }
    }

    /// Returns the item's time at a host time.
    ///
    /// - Parameter hostTime: A time of the host's clock, ``Timebase/hostTime``.
    /// - Returns: The time on the item's timeline; ``MediaTime/invalid`` if no player plays the item or `hostTime` is
    ///   not numeric.
    public func itemTime(forHostTime hostTime: MediaTime) -> MediaTime {
        guard let player = state.withLock({ $0.item })?.player, let nanoseconds = hostTime.nanoseconds else {
            return .invalid
        }
        return MediaTime(nanoseconds: player.itemTime(at: nanoseconds))
    }

    /// Returns whether there is a picture for `time` that the program has not taken from this output yet
    /// (AVPlayerItemVideoOutput.hasNewPixelBuffer(forItemTime:)).
    ///
    /// - Parameter time: A time on the item's timeline.
    public func hasNewPixelBuffer(forItemTime time: MediaTime) -> Bool {
        guard let time = time.nanoseconds else { return false }
        return state.withLock { state in state.frame(at: time).map { $0.id != state.lastTakenFrameID } ?? false }
    }

    /// Takes the picture for a time, without copying its memory
    /// (AVPlayerItemVideoOutput.copyPixelBuffer(forItemTime:itemTimeForDisplay:)).
    ///
    /// If the output is added during Picture-in-Picture, its first pictures may have about the size of the floating
    /// window.
    ///
    /// - Parameter time: A time on the item's timeline.
    /// - Returns: The picture and its own time; nil if there is no picture for `time`.
    public func copyPixelBuffer(forItemTime time: MediaTime) -> (buffer: PixelBuffer, itemTimeForDisplay: MediaTime)? {
        guard let time = time.nanoseconds else { return nil }
        let frame = state.withLock { state -> VideoFrame? in
            guard let frame = state.frame(at: time) else { return nil }
            state.lastTakenFrameID = frame.id
            // Release the frames before this one, which the program no longer needs.
            state.frames.removeAll { $0.presentationTime < frame.presentationTime }
            return frame
        }
        return frame.map { (PixelBuffer($0.withoutReduction), MediaTime(nanoseconds: $0.presentationTime)) }
    }

    /// A sequence with an element for each seek, after which earlier pictures are invalid
    /// (AVPlayerItemOutputPullDelegate.outputSequenceWasFlushed(_:)). It ends when the output is released.
    public var sequenceFlushes: AsyncStream<Void> {
        let flushStreams = flushStreams
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let streamNumber = flushStreams.withLock { streams in
                let streamNumber = (streams.keys.max() ?? 0) + 1
                streams[streamNumber] = continuation
                return streamNumber
            }
            continuation.onTermination = { _ in
                flushStreams.withLock { _ = $0.removeValue(forKey: streamNumber) }
            }
        }
    }

    // MARK: For the player

    /// Attaches the output to an item, or detaches it with nil. Discards its frames.
    func attach(to item: PlayerItem?) {
        state.withLock { state in
            state.item = item
            state.frames = []
        }
        // The program draws the pictures in a window of its own. Assume that this window is visible and has the focus.
        let windowIdentifier = ObjectIdentifier(self)
        if item == nil {
            Application.shared.removeWindow(windowIdentifier)
        } else {
            Application.shared.changeWindow(windowIdentifier) { ($0.isShown, $0.isFocused) = (true, true) }
        }
    }

    /// Whether the output is attached to an item.
    var isAttached: Bool { state.withLock { $0.item } != nil }

    /// Adds a frame that will soon be due. The oldest frame is removed if there are too many.
    func enqueue(_ frame: VideoFrame) {
        state.withLock { state in
            state.frames.append(frame)
            if state.frames.count > Self.frameLimit { state.frames.removeFirst() }
        }
    }

    /// Discards the frames after a seek and notifies the readers of ``sequenceFlushes``.
    func flush() {
        state.withLock { $0.frames = [] }
        for continuation in flushStreams.withLock({ Array($0.values) }) { continuation.yield() }
    }
}

extension PlayerItemVideoOutput.State {
    /// Returns the frame that is shown at a time of the item, in nanoseconds: the last frame whose presentation time is
    /// not later than `time`.
    fileprivate func frame(at time: Int64) -> VideoFrame? { frames.last { $0.presentationTime <= time } }
}

extension PlayerItem {
    /// Attaches an output (AVPlayerItem.add(_:)). The output receives later pictures only.
    ///
    /// - Parameter output: An output that is attached to no other item; otherwise a precondition fails.
    public func add(_ output: PlayerItemVideoOutput) {
        precondition(!output.isAttached, "the output already belongs to an item")
        output.attach(to: self)
        state.withLock { $0.outputs.append(output) }
        player?.applyChange(of: .outputs)
    }

    /// Detaches an output (AVPlayerItem.remove(_:)). Does nothing if it is not attached to this item.
    ///
    /// - Parameter output: The output that receives no more pictures.
    public func remove(_ output: PlayerItemVideoOutput) {
        let wasAttached = state.withLock { state in
            let oldCount = state.outputs.count
            state.outputs.removeAll { $0 === output }
            return state.outputs.count < oldCount
        }
        guard wasAttached else { return }
        output.attach(to: nil)
        player?.applyChange(of: .outputs)
    }

    /// The attached outputs, in the order in which they were added.
    public var outputs: [PlayerItemVideoOutput] { state.withLock { $0.outputs } }

    /// Whether the program draws the item's pictures itself: one of the outputs suppresses the player's rendering.
    var isRenderedElsewhere: Bool { outputs.contains { $0.suppressesPlayerRendering } }
}
