import SystemCalls

/// The memory of one frame: a sealed memory file and its mapping. A slot outlives the pictures that come and go in it.
package final class FrameSlot: Sendable {
    /// Names the slot between processes; never given twice by one process.
    package let id: UInt32
    /// Bytes.
    package let size: Int
    private let file: MemoryFile
    private let mapping: Mapping

    init(id: UInt32, size: Int) throws(SystemCallError) {
        self.id = id
        self.size = size
        file = try MemoryFile(name: "swiftplay-frame", size: size)
        mapping = try file.map(writable: true)
    }

    /// For passing to the process that is to read the frames. Valid as long as the slot lives.
    package var descriptor: Int32 { file.descriptor.raw }

    /// Start of the memory. Who may write is ``FrameBuffer``'s business.
    package var base: UnsafeMutableRawPointer { mapping.base }
}
