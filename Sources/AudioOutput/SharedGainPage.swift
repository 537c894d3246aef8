import AudioPolicy
import Synchronization
import SystemCalls

/// A page of shared memory with the gain that other programs' audio imposes on an audio session. The compositor writes
/// the page, and the program's render threads read it. Commands apply at once, even in a process that was stopped and
/// continues.
///
/// The page has four words: the gate command (open or silent), the duck command (a lower volume), and both commands as
/// last acknowledged. The compositor writes the first two; without a compositor, the program writes them.
/// Render threads write the last two.
package final class SharedGainPage: Sendable {
    /// The size of the page in bytes.
    package static let pageSize = 4096
    /// The memory file, which the program that created the page sends to the compositor; nil in the compositor.
    private let file: SharedDescriptor?
    /// The mapping of the page into this process.
    private let mapping: Mapping

    /// Creates the page in the program.
    package init() throws(SystemCallError) {
        let newFile = try MemoryFile(name: "audio session", size: Self.pageSize)
        mapping = try newFile.map(writable: true)
        file = SharedDescriptor(try FileDescriptor(duplicating: newFile.descriptor.raw))
    }

    /// Maps the page that a program has sent to the compositor.
    package init(received descriptor: consuming FileDescriptor) throws(SystemCallError) {
        mapping = try MemoryFile(received: descriptor, minimumSize: Self.pageSize, maximumSize: Self.pageSize).map(
            writable: true)
        file = nil
    }

    /// The descriptor that the program sends to the compositor; -1 in the compositor, which received the page.
    package var descriptor: Int32 { file?.raw ?? -1 }

    /// Returns the word at `index` of the page: the gate command, the duck command, the acknowledged gate
    /// command, or the acknowledged duck command.
    private func word(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        mapping.base.assumingMemoryBound(to: Atomic<UInt64>.self) + index
    }

    // MARK: Gain commands

    /// The current command of the gate, which opens or silences the session.
    package var gate: GateCommand { GateCommand(word: words.gate) }
    /// The current duck command, which lowers the session's volume.
    package var duck: DuckCommand { DuckCommand(word: words.duck) }

    /// Replaces the command that opens (unmutes) or closes (mutes) the session's gate.
    package func set(_ command: GateCommand) { word(0).pointee.store(command.word, ordering: .releasing) }
    /// Replaces the command that sets how far the session is ducked (attenuated).
    package func set(_ command: DuckCommand) { word(1).pointee.store(command.word, ordering: .releasing) }

    /// Opens the gate or silences the session, with a raised-cosine fade that starts now.
    package func setGate(isOpen: Bool, milliseconds: Int) {
        set(GateCommand(isOpen: isOpen, milliseconds: milliseconds, time: MonotonicTime.now))
    }

    /// Returns whether the render threads have acknowledged the gate command `gate` and the duck command `duck`. The
    /// caller must keep its own copy of the commands, because the program's process can write to the whole page.
    package func hasAcknowledged(_ gate: GateCommand, _ duck: DuckCommand) -> Bool {
        word(2).pointee.load(ordering: .acquiring) == gate.word
            && word(3).pointee.load(ordering: .acquiring) == duck.word
    }

    // MARK: Render threads

    /// The current commands of the gate and of ducking, each as one word.
    var words: (gate: UInt64, duck: UInt64) {
        (word(0).pointee.load(ordering: .acquiring), word(1).pointee.load(ordering: .acquiring))
    }

    /// Records in the page which commands a render thread has applied.
    func acknowledge(_ words: (gate: UInt64, duck: UInt64)) {
        word(2).pointee.store(words.gate, ordering: .releasing)
        word(3).pointee.store(words.duck, ordering: .releasing)
    }
}
