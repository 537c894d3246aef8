import Synchronization
import SystemCalls

@testable import AudioOutput

/// A producer on a thread of its own: frame `n` carries ``value(_:)`` on all channels, which floats hold exactly.
final class Feeder: Sendable {
    private final class Flag: Sendable { let isSet = Atomic<Bool>(false) }
    private let thread: NamedThread
    private let stopped = Flag()

    static func value(_ frame: Int) -> Float { Float(frame % 65536 + 1) / 65536 }

    /// Feeds the frames of `range` and, if `ends`, says that this was all.
    init(_ renderer: AudioRenderer, _ range: Range<Int>, ends: Bool = true) throws {
        let stopped = stopped
        thread = try NamedThread("feeder") {
            var next = range.lowerBound
            var block: [Float] = []
            while next < range.upperBound, !stopped.isSet.load(ordering: .relaxed) {
                let count = min(480, range.upperBound - next)
                block.removeAll(keepingCapacity: true)
                for n in next..<next + count {
                    for _ in 0..<renderer.format.channels { block.append(Self.value(n)) }
                }
                renderer.spaceAvailable.drain()
                let taken = block.withUnsafeBufferPointer { renderer.write($0) }
                next += taken
                if taken < count {
                    _ = try? Poll.waitReadable(renderer.spaceAvailable.raw, until: MonotonicTime.now + 100_000_000)
                }
            }
            if ends { renderer.markEndOfStream() }
        }
    }

    deinit { stop() }

    func stop() {
        stopped.isSet.store(true, ordering: .relaxed)
        thread.join()
    }
}
