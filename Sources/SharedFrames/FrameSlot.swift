import SystemCalls

/// The memory of one frame: a sealed memory file and its mapping. One slot is reused for many pictures.
package final class FrameSlot: Sendable {
    /// The slot's identifier across processes; a process never reuses an identifier.
    package let id: UInt32
    /// The size of the memory in bytes.
    package let size: Int
    private let mapping: Mapping
    /// The memory file; nil for a slot without a descriptor, until another process needs to read the slot.
    private let file: Monitor<SharedDescriptor?>

    /// Creates a slot whose memory file another process can map.
    init(id: UInt32, size: Int) throws(SystemCallError) {
        self.id = id
        self.size = size
        let created = try MemoryFile(name: "swiftplay-frame", size: size)
        mapping = try created.map(writable: true)
        file = Monitor(SharedDescriptor(created.release()))
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

    /// Returns a descriptor for the process that reads the frames. A slot without a descriptor first copies its memory,
    /// so the picture must be complete.
    package func descriptor() throws(SystemCallError) -> SharedDescriptor {
        try file.withLock { (file: inout SharedDescriptor?) throws(SystemCallError) in
            if let file { return file }
            let created = try MemoryFile(name: "swiftplay-frame", size: size)
            let copy = try created.map(writable: true)
            copy.base.copyMemory(from: mapping.base, byteCount: size)
            let descriptor = SharedDescriptor(created.release())
            file = descriptor
            return descriptor
        }
    }

    /// The start of the memory. ``FrameBuffer`` defines the rules for writing.
    package var base: UnsafeMutableRawPointer { mapping.base }
}
