import AudioPolicy
import Synchronization
import SystemCalls

/// How loud a process may be, as the rules between programs have it: a page of memory that the compositor writes and
/// all renderers of the process read. What it asks is there at once, also for a process that was frozen and reads
/// nothing else first.
///
/// Layout: four words: the gate's order, the duck's, and both again as they were obeyed last. The compositor writes the
/// first two while there is one, else the process; render threads write the last two, and all of them obey the same
/// orders.
package final class SessionGain: Sendable {
    package static let pageSize = 4096
    /// What the other process maps; nil on its side.
    private let file: SharedDescriptor?
    private let mapping: Mapping

    /// Makes the page.
    package init() throws(SystemCallError) {
        let made = try MemoryFile(name: "audio session", size: Self.pageSize)
        mapping = try made.map(writable: true)
        file = SharedDescriptor(try FileDescriptor(duplicating: made.descriptor.raw))
    }

    /// Takes part in another process's page.
    package init(received descriptor: consuming FileDescriptor) throws(SystemCallError) {
        mapping = try MemoryFile(received: descriptor, minimumSize: Self.pageSize, maximumSize: Self.pageSize).map(
            writable: true)
        file = nil
    }

    /// For the process that writes it; -1 on that process's side.
    package var descriptor: Int32 { file?.raw ?? -1 }

    private func word(_ number: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        mapping.base.assumingMemoryBound(to: Atomic<UInt64>.self) + number
    }

    // MARK: orders

    package var gate: GateOrder { GateOrder(word: words.gate) }
    package var duck: DuckOrder { DuckOrder(word: words.duck) }

    package func set(_ order: GateOrder) { word(0).pointee.store(order.word, ordering: .releasing) }
    package func set(_ order: DuckOrder) { word(1).pointee.store(order.word, ordering: .releasing) }

    /// Fades in or out from now on, along a raised cosine.
    package func setGate(isOpen: Bool, milliseconds: Int) {
        set(GateOrder(isOpen: isOpen, milliseconds: milliseconds, time: MonotonicTime.now))
    }

    /// Whether the render threads say that they have obeyed these orders last. The reader must know by itself what it
    /// has ordered: the other process can write to all of the page.
    package func hasAcknowledged(_ gate: GateOrder, _ duck: DuckOrder) -> Bool {
        word(2).pointee.load(ordering: .acquiring) == gate.word
            && word(3).pointee.load(ordering: .acquiring) == duck.word
    }

    // MARK: for render threads

    var words: (gate: UInt64, duck: UInt64) {
        (word(0).pointee.load(ordering: .acquiring), word(1).pointee.load(ordering: .acquiring))
    }

    func obeyed(_ words: (gate: UInt64, duck: UInt64)) {
        word(2).pointee.store(words.gate, ordering: .releasing)
        word(3).pointee.store(words.duck, ordering: .releasing)
    }
}
