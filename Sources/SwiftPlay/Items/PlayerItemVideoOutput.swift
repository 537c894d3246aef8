import SharedFrames
import SystemCalls

/// An output that gives a program the pictures of an item while it plays (AVPlayerItemVideoOutput). Any thread.
///
/// Each output keeps its own record of pictures that were taken: add one output for each consumer.
public final class PlayerItemVideoOutput: Sendable {
    fileprivate struct State {
        /// The frames that are due or will be soon, in order of time.
        var frames: [VideoFrame] = []
        /// The frame that the program took last.
        var acquired: UInt64?
        weak var item: PlayerItem?
        var suppressesPlayerRendering = false
    }

    /// The number of pictures that are kept: the current one and the next ones.
    private static let mostFrames = 3

    private let state = Monitor(State())
    private let flushes = Monitor<[UInt64: AsyncStream<Void>.Continuation]>([:])

    /// Creates an output. Attach it with ``PlayerItem/add(_:)``.
    public init() {}

    deinit { for continuation in flushes.withLock({ Array($0.values) }) { continuation.finish() } }

    /// Whether the player's layer shows no pictures of the item, because the program draws them itself; false by
    /// default (AVPlayerItemOutput.suppressesPlayerRendering). The audio still plays.
    public var suppressesPlayerRendering: Bool {
        get { state.withLock { $0.suppressesPlayerRendering } }
        set {
            let item = state.withLock { state in
                state.suppressesPlayerRendering = newValue
                return state.item
            }
            item?.player?.changed(.outputs)
        }
    }

    /// Returns the item's time at a host time.
    ///
    /// - Parameter hostTime: A time of the host's clock, ``Timebase/hostTime``.
    /// - Returns: The time on the item's timeline; ``MediaTime/invalid`` if no player plays the item or `hostTime` is
    ///   not numeric.
    public func itemTime(forHostTime hostTime: MediaTime) -> MediaTime {
        guard let player = state.withLock({ $0.item })?.player, let host = hostTime.nanoseconds else { return .invalid }
        return MediaTime(nanoseconds: player.itemTime(at: host))
    }

    /// Returns whether there is a picture for `time` that the program has not taken from this output yet
    /// (AVPlayerItemVideoOutput.hasNewPixelBuffer(forItemTime:)).
    ///
    /// - Parameter time: A time on the item's timeline.
    public func hasNewPixelBuffer(forItemTime time: MediaTime) -> Bool {
        guard let time = time.nanoseconds else { return false }
        return state.withLock { state in state.frame(at: time).map { $0.id != state.acquired } ?? false }
    }

    /// Takes the picture for a time, without copying its memory
    /// (AVPlayerItemVideoOutput.copyPixelBuffer(forItemTime:itemTimeForDisplay:)).
    ///
    /// - Parameter time: A time on the item's timeline.
    /// - Returns: The picture and its own time; nil if there is no picture for `time`.
    public func copyPixelBuffer(forItemTime time: MediaTime) -> (buffer: PixelBuffer, itemTimeForDisplay: MediaTime)? {
        guard let time = time.nanoseconds else { return nil }
        let frame = state.withLock { state -> VideoFrame? in
            guard let frame = state.frame(at: time) else { return nil }
            state.acquired = frame.id
            // Earlier frames are not needed any more.
            state.frames.removeAll { $0.presentationTime < frame.presentationTime }
            return frame
        }
        return frame.map { (PixelBuffer($0), MediaTime(nanoseconds: $0.presentationTime)) }
    }

    /// A sequence with an element for each seek, after which earlier pictures are invalid
    /// (AVPlayerItemOutputPullDelegate.outputSequenceWasFlushed(_:)). It ends when the output is released.
    public var sequenceFlushes: AsyncStream<Void> {
        let flushes = flushes
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = flushes.withLock { flushes in
                let number = (flushes.keys.max() ?? 0) + 1
                flushes[number] = continuation
                return number
            }
            continuation.onTermination = { _ in flushes.withLock { _ = $0.removeValue(forKey: number) } }
        }
    }

    // MARK: For the player

    func attach(to item: PlayerItem?) {
        state.withLock { state in
            state.item = item
            state.frames = []
        }
    }

    var isAttached: Bool { state.withLock { $0.item } != nil }

    func take(_ frame: VideoFrame) {
        state.withLock { state in
            state.frames.append(frame)
            if state.frames.count > Self.mostFrames { state.frames.removeFirst() }
        }
    }

    func flush() {
        state.withLock { $0.frames = [] }
        for continuation in flushes.withLock({ Array($0.values) }) { continuation.yield() }
    }
}

extension PlayerItemVideoOutput.State {
    fileprivate func frame(at time: Int64) -> VideoFrame? { frames.last { $0.presentationTime <= time } }
}

extension PlayerItem {
    /// Attaches an output (AVPlayerItem.add(_:)). It receives later pictures only.
    ///
    /// - Parameter output: An output that is attached to no other item; otherwise the program stops.
    public func add(_ output: PlayerItemVideoOutput) {
        precondition(!output.isAttached, "an output belongs to one item at most")
        output.attach(to: self)
        state.withLock { $0.outputs.append(output) }
        player?.changed(.outputs)
    }

    /// Detaches an output (AVPlayerItem.remove(_:)). Does nothing if it is not attached to this item.
    ///
    /// - Parameter output: The output that receives no more pictures.
    public func remove(_ output: PlayerItemVideoOutput) {
        let isThere = state.withLock { state in
            let before = state.outputs.count
            state.outputs.removeAll { $0 === output }
            return state.outputs.count < before
        }
        guard isThere else { return }
        output.attach(to: nil)
        player?.changed(.outputs)
    }

    /// The attached outputs, in the order in which they were added.
    public var outputs: [PlayerItemVideoOutput] { state.withLock { $0.outputs } }

    /// Whether an output suppresses the player's own rendering.
    var isRenderedElsewhere: Bool { outputs.contains { $0.suppressesPlayerRendering } }
}
