import CLinux
import SharedFrames
import Synchronization
import SystemCalls

/// What two processes agree on that draw on one terminal: whose turn it is, and which cells are the other's. Any
/// thread.
///
/// A memory file that both have. Its lock (of the open file description, so that the kernel frees it when a process
/// dies) is held by whoever writes, from the first byte of a picture to the last: a sequence is never cut by the
/// other's. The owner of the terminal changes the place only in its own turn; the other reads it in each of its turns,
/// and draws nowhere else.
///
/// Words of 32 bits: is there a place, generation, x, y, columns, rows, width and height of a cell.
package final class TerminalShare: Sendable {
    package static let byteCount = 64
    private static let words = 8

    /// Of the terminal behind standard output, for the life of the process; nil when there is no memory for it.
    package static let standard = try? TerminalShare()

    /// The lock is this description's. It is handed to the other process, which opens it anew.
    package let descriptor: SharedDescriptor
    private let mapping: Mapping

    package init() throws(SystemCallError) {
        let file = try MemoryFile(name: "swiftplay-terminal", size: Self.byteCount)
        mapping = try file.map(writable: true)
        descriptor = SharedDescriptor(try FileDescriptor(duplicating: file.descriptor.raw))
    }

    /// The other process's end, read-only. Trusts nothing that the memory says.
    package init(received raw: Int32) throws(SystemCallError) {
        let file = try MemoryFile(
            received: FileDescriptor(duplicating: raw), minimumSize: Self.byteCount, maximumSize: 1 << 20)
        mapping = try file.map(writable: false)
        // A description of its own: a lock of the sender's would be ours too.
        descriptor = SharedDescriptor(try FileDescriptor(opening: "/proc/self/fd/\(raw)", flags: O_RDWR))
    }

    private func word(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt32>> {
        mapping.base.assumingMemoryBound(to: Atomic<UInt32>.self) + index
    }

    // MARK: turns

    /// Takes the turn if nobody has it. Never waits; async-signal-safe.
    package func tryLock() -> Bool { clinux_lock(descriptor.raw, 1) == 0 }

    package func unlock() { _ = clinux_lock(descriptor.raw, 0) }

    // MARK: the place

    /// The cells that are the other's; nil when there are none, or what is said of them is nonsense.
    package var place: TerminalPlace? {
        guard isOpen else { return nil }
        let values = (1..<Self.words).map { Int(word($0).pointee.load(ordering: .relaxed)) }
        guard isOpen else { return nil }
        return TerminalPlace(
            cells: PixelRect(x: values[1], y: values[2], width: values[3], height: values[4]), cellWidth: values[5],
            cellHeight: values[6],
            generation: UInt32(truncatingIfNeeded: values[0]))
    }

    package var isOpen: Bool { word(0).pointee.load(ordering: .acquiring) == 1 }

    /// Gives cells to the other, who draws all of them. Only in the owner's turn.
    func open(_ place: TerminalPlace) {
        close()
        _ = word(1).pointee.add(1, ordering: .relaxed)
        let values = [
            place.cells.x, place.cells.y, place.cells.width, place.cells.height, place.cellWidth, place.cellHeight,
        ]
        for (index, value) in values.enumerated() {
            word(index + 2).pointee.store(UInt32(clamping: value), ordering: .relaxed)
        }
        word(0).pointee.store(1, ordering: .releasing)
    }

    /// The other draws nothing any more, from its next turn on. Async-signal-safe.
    func close() { word(0).pointee.store(0, ordering: .releasing) }

    /// Where signal handlers find the word that ``close()`` writes.
    var flag: UnsafeMutablePointer<Atomic<UInt32>> { word(0) }
}
