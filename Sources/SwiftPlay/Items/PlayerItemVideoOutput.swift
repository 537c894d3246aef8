import SharedFrames
import SystemCalls

/// Gives a program an item's pictures while it plays (AVPlayerItemVideoOutput). What one output has handed out is new
/// to every other: add as many as there are consumers. Any thread.
public final class PlayerItemVideoOutput: Sendable {
    fileprivate struct State {
        /// Due or soon due, in order of time.
        var frames: [VideoFrame] = []
        /// The last one that was handed out.
        var acquired: UInt64?
        weak var item: PlayerItem?
        var suppressesPlayerRendering = false
    }

    /// So many pictures are kept: the one to be seen, and what is decoded next.
    private static let mostFrames = 3

    private let state = Monitor(State())
    private let flushes = Monitor<[UInt64: AsyncStream<Void>.Continuation]>([:])

    /// Creates an output. Attach it with ``PlayerItem/add(_:)``.
    public init() {}

    deinit { for continuation in flushes.withLock({ Array($0.values) }) { continuation.finish() } }

    /// The player's layer does not get the pictures of this output's item; its sound is heard. For who draws them
    /// itself. False at first.
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

    /// Is there a picture for `time` that this output has not handed out?
    public func hasNewPixelBuffer(forItemTime time: MediaTime) -> Bool {
        guard let time = time.nanoseconds else { return false }
        return state.withLock { state in state.frame(at: time).map { $0.id != state.acquired } ?? false }
    }

    /// Takes the picture that is to be seen at `time`.
    ///
    /// - Returns: the picture and its own time; nil: show nothing new.
    public func copyPixelBuffer(forItemTime time: MediaTime) -> (buffer: PixelBuffer, itemTimeForDisplay: MediaTime)? {
        guard let time = time.nanoseconds else { return nil }
        let frame = state.withLock { state -> VideoFrame? in
            guard let frame = state.frame(at: time) else { return nil }
            state.acquired = frame.id
            // What came before it is over.
            state.frames.removeAll { $0.presentationTime < frame.presentationTime }
            return frame
        }
        return frame.map { (PixelBuffer($0), MediaTime(nanoseconds: $0.presentationTime)) }
    }

    /// One element each time that a seek has made the pictures so far void. Ends when the output is released.
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

    // MARK: the player's side

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
    /// Gives the item's pictures to `output` too, from the next one on. An output belongs to one item at most.
    public func add(_ output: PlayerItemVideoOutput) {
        precondition(!output.isAttached, "an output belongs to one item at most")
        output.attach(to: self)
        state.withLock { $0.outputs.append(output) }
        player?.changed(.outputs)
    }

    /// Detaches an output. Does nothing if it is not attached to this item.
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

    /// Its pictures are drawn by others.
    var isRenderedElsewhere: Bool { outputs.contains { $0.suppressesPlayerRendering } }
}
