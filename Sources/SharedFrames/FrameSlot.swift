import SystemCalls

/// The memory of one frame: a sealed memory file and its mapping. A slot outlives the pictures that come and go in it.
package final class FrameSlot: Sendable {
    /// Names the slot between processes; never given twice by one process.
    package let id: UInt32
    /// Bytes.
    package let size: Int
    private let mapping: Mapping
    /// The memory file; nil for a slot without a descriptor until another process is to read it.
    private let file: Monitor<SharedDescriptor?>

    init(id: UInt32, size: Int) throws(SystemCallError) {
        self.id = id
        self.size = size
        let made = try MemoryFile(name: "swiftplay-frame", size: size)
        mapping = try made.map(writable: true)
        file = Monitor(SharedDescriptor(made.release()))
    }

    /// Makes a slot that holds no descriptor, of which a process has few: for pictures that a program may keep by the
    /// thousand.
    init(withoutDescriptor id: UInt32, size: Int) throws(SystemCallError) {
        self.id = id
        self.size = size
        // The mapping keeps the memory when the descriptor is closed.
        mapping = try MemoryFile(name: "swiftplay-picture", size: size).map(writable: true)
        file = Monitor(nil)
    }

    /// A descriptor for the process that is to read the frames. For a slot without one a copy of the memory is made
    /// first, so the picture must be complete.
    package func descriptor() throws(SystemCallError) -> SharedDescriptor {
        try file.withLock { (file: inout SharedDescriptor?) throws(SystemCallError) in
            if let file { return file }
            let made = try MemoryFile(name: "swiftplay-frame", size: size)
            let copy = try made.map(writable: true)
            copy.base.copyMemory(from: mapping.base, byteCount: size)
            let descriptor = SharedDescriptor(made.release())
            file = descriptor
            return descriptor
        }
    }

    /// Start of the memory. Who may write is ``FrameBuffer``'s business.
    package var base: UnsafeMutableRawPointer { mapping.base }
}
