import AudioPolicy
import Synchronization
import SystemCalls

/// The gain of a process by the rules between programs: a shared page that the compositor writes and the renderers of
/// the process read. Orders apply at once, even for a process that was stopped and continues.
///
/// The page has four words: the orders of the gate and of ducking, and both as they were last acknowledged. The
/// compositor, or the process without one, writes the first two; render threads write the last two.
package final class SessionGain: Sendable {
    package static let pageSize = 4096
    /// The memory that the other process maps; nil on its side.
    private let file: SharedDescriptor?
    private let mapping: Mapping

    /// Creates the page.
    package init() throws(SystemCallError) {
        let made = try MemoryFile(name: "audio session", size: Self.pageSize)
        mapping = try made.map(writable: true)
        file = SharedDescriptor(try FileDescriptor(duplicating: made.descriptor.raw))
    }

    /// Maps another process's page.
    package init(received descriptor: consuming FileDescriptor) throws(SystemCallError) {
        mapping = try MemoryFile(received: descriptor, minimumSize: Self.pageSize, maximumSize: Self.pageSize).map(
            writable: true)
        file = nil
    }

    /// The descriptor for the other process; -1 on its side.
    package var descriptor: Int32 { file?.raw ?? -1 }

    private func word(_ number: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        mapping.base.assumingMemoryBound(to: Atomic<UInt64>.self) + number
    }

    // MARK: Orders

    package var gate: GateOrder { GateOrder(word: words.gate) }
    package var duck: DuckOrder { DuckOrder(word: words.duck) }

    package func set(_ order: GateOrder) { word(0).pointee.store(order.word, ordering: .releasing) }
    package func set(_ order: DuckOrder) { word(1).pointee.store(order.word, ordering: .releasing) }

    /// Starts a raised-cosine fade.
    package func setGate(isOpen: Bool, milliseconds: Int) {
        set(GateOrder(isOpen: isOpen, milliseconds: milliseconds, time: MonotonicTime.now))
    }

    /// Returns whether the render threads acknowledge these orders. The caller must keep its orders itself, because the
    /// other process can write to the whole page.
    package func hasAcknowledged(_ gate: GateOrder, _ duck: DuckOrder) -> Bool {
        word(2).pointee.load(ordering: .acquiring) == gate.word
            && word(3).pointee.load(ordering: .acquiring) == duck.word
    }

    // MARK: Render threads

    var words: (gate: UInt64, duck: UInt64) {
        (word(0).pointee.load(ordering: .acquiring), word(1).pointee.load(ordering: .acquiring))
    }

    func obeyed(_ words: (gate: UInt64, duck: UInt64)) {
        word(2).pointee.store(words.gate, ordering: .releasing)
        word(3).pointee.store(words.duck, ordering: .releasing)
    }
}
