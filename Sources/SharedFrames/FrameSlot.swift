import SystemCalls

/// The memory of one frame: a sealed memory file and its mapping. One slot is reused for many pictures.
package final class FrameSlot: Sendable {
    /// The slot's identifier across processes; a process never reuses an identifier.
    package let id: UInt32
    /// The size of the memory in bytes.
    package let size: Int
    /// The mapping of the memory into this process.
    private let mapping: Mapping
    /// The descriptor of the memory file; nil for a slot without a descriptor, until ``descriptor()`` creates one.
    private let file: Monitor<SharedDescriptor?>

    /// Creates a slot whose memory file another process can map.
    init(id: UInt32, size: Int) throws(SystemCallError) {
        self.id = id
        self.size = size
        let createdFile = try MemoryFile(name: "swiftplay-frame", size: size)
        mapping = try createdFile.map(writable: true)
        file = Monitor(SharedDescriptor(createdFile.release()))
    }

    /// Creates a slot that holds no file descriptor. The number of descriptors per process is limited, and a program
    /// may keep thousands of pictures.
    init(withoutDescriptor id: UInt32, size: Int) throws(SystemCallError) {
        self.id = id
        self.size = size
        // The descriptor is closed at once: the mapping keeps the memory alive.
        mapping = try MemoryFile(name: "swiftplay-picture", size: size).map(writable: true)
        file = Monitor(nil)
    }

    /// Returns the descriptor through which another process can read the memory. For a slot without a descriptor, this
    /// method copies the memory into a new memory file, so the picture must be complete.
    package func descriptor() throws(SystemCallError) -> SharedDescriptor {
        try file.withLock { (file: inout SharedDescriptor?) throws(SystemCallError) in
            if let file { return file }
            let createdFile = try MemoryFile(name: "swiftplay-frame", size: size)
            let copyMapping = try createdFile.map(writable: true)
            copyMapping.base.copyMemory(from: mapping.base, byteCount: size)
            let descriptor = SharedDescriptor(createdFile.release())
            file = descriptor
            return descriptor
        }
    }

    /// The start of the memory. ``FrameBuffer`` defines when the memory may be written.
    package var base: UnsafeMutableRawPointer { mapping.base }
}
