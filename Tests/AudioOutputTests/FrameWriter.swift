import Synchronization
import SystemCalls

@testable import AudioOutput

/// A thread that writes numbered frames to a renderer. All channels of frame `n` have the sample ``sample(ofFrame:)``,
/// which a float represents exactly.
final class FrameWriter: Sendable {
    /// An atomic flag that requests the thread to stop.
    private final class Flag: Sendable { let isSet = Atomic<Bool>(false) }
    private let thread: NamedThread
    private let stopFlag = Flag()

    /// Returns the sample of the frame with number `frame`, between 0 and 1.
    static func sample(ofFrame frame: Int) -> Float { Float(frame % 65536 + 1) / 65536 }

    /// Starts a thread that writes the frames with the numbers in `range`. If `marksEndOfStream` is true, it then marks
    /// the end of the stream.
    init(_ renderer: AudioRenderer, _ range: Range<Int>, marksEndOfStream: Bool = true) throws {
        let stopFlag = stopFlag
        thread = try NamedThread("frameWriter") {
            var nextFrame = range.lowerBound
            var block: [Float] = []
            while nextFrame < range.upperBound, !stopFlag.isSet.load(ordering: .relaxed) {
                let count = min(480, range.upperBound - nextFrame)
                block.removeAll(keepingCapacity: true)
                for n in nextFrame..<nextFrame + count {
                    for _ in 0..<renderer.format.channels { block.append(Self.sample(ofFrame: n)) }
                }
                renderer.spaceAvailable.drain()
                let acceptedFrames = block.withUnsafeBufferPointer { renderer.write($0) }
                nextFrame += acceptedFrames
                if acceptedFrames < count {
                    _ = try? Poll.waitReadable(renderer.spaceAvailable.raw, until: MonotonicTime.now + 100_000_000)
                }
            }
            if marksEndOfStream { renderer.markEndOfStream() }
        }
    }

    deinit { stop() }

    /// Stops writing and ends the thread.
    func stop() {
        stopFlag.isSet.store(true, ordering: .relaxed)
        thread.join()
    }
}
