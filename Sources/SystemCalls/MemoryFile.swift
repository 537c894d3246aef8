import CLinux
import Glibc

/// Memory that other processes can map: a `memfd`, sealed against any change of its size.
package struct MemoryFile: ~Copyable, Sendable {
    /// The descriptor of the `memfd`; any process that receives it can map the memory.
    package let descriptor: FileDescriptor
    /// The size of the memory in bytes.
    package let size: Int

    /// Creates a zero-filled memory file of `size` bytes, sealed against changes of its size.
    package init(name: String, size: Int) throws(SystemCallError) {
        let descriptor = FileDescriptor(
            owning: try systemCall("memfd_create") { clinux_memfd_create(name, clinux_mfd_flags()) })
        try systemCall("ftruncate") { ftruncate(descriptor.raw, size) }
        let seals = CLINUX_F_SEAL_SHRINK | CLINUX_F_SEAL_GROW | CLINUX_F_SEAL_SEAL
        try systemCall("fcntl(F_ADD_SEALS)") { clinux_add_seals(descriptor.raw, seals) }
        self.descriptor = descriptor
        self.size = size
    }

    /// Takes ownership of a descriptor received from another process. The descriptor must refer to a memory file of
    /// `minimumSize` to `maximumSize` bytes that the sender can no longer shrink.
    ///
    /// - Throws: ``SystemCallError``: `EINVAL` with the failed check, or the error of a system call.
    package init(received descriptor: consuming FileDescriptor, minimumSize: Int, maximumSize: Int)
        throws(SystemCallError)
    {
        let seals = try systemCall("fcntl(F_GET_SEALS)") { clinux_get_seals(descriptor.raw) }
        guard seals & CLINUX_F_SEAL_SHRINK != 0 else {
            throw SystemCallError(call: "memory file is not sealed", number: EINVAL)
        }
        var status = stat()
        try systemCall("fstat") { fstat(descriptor.raw, &status) }
        let size = Int(status.st_size)
        guard size >= minimumSize, size <= maximumSize else {
            throw SystemCallError(call: "memory file has the wrong size", number: EINVAL)
        }
        self.descriptor = descriptor
        self.size = size
    }

    /// Consumes this value and returns the descriptor of the memory file.
    package consuming func release() -> FileDescriptor { descriptor }

    /// Maps the whole memory file into this process.
    package func map(writable: Bool) throws(SystemCallError) -> Mapping {
        try Mapping(descriptor: descriptor.raw, size: size, writable: writable)
    }
}

/// The owner of a memory mapping that is shared with other processes (`mmap`); unmaps it on deinitialisation.
package struct Mapping: ~Copyable, @unchecked Sendable {
    // @unchecked Sendable: the address stays valid on every thread while this value exists. The mapping does not
    // synchronise access: the type that stores the mapping, such as `FrameSlot`, defines which threads access which
    // bytes.
    /// The address of the first mapped byte.
    package let base: UnsafeMutableRawPointer
    /// The number of mapped bytes.
    package let size: Int
    /// Whether this process may write to the mapped bytes.
    package let isWritable: Bool

    /// Maps the first `size` bytes of the file `descriptor` as memory shared with other processes.
    package init(descriptor: Int32, size: Int, writable: Bool) throws(SystemCallError) {
        let protection = writable ? PROT_READ | PROT_WRITE : PROT_READ
        guard let address = mmap(nil, size, protection, MAP_SHARED, descriptor, 0), address != MAP_FAILED else {
            throw SystemCallError(call: "mmap", number: errno)
        }
        base = address
        self.size = size
        isWritable = writable
    }

    deinit { munmap(base, size) }

    /// Calls `body` with the bytes, which are valid only during the call.
    package func withBytes<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result)
        throws(Failure) -> Result
    {
        try body(UnsafeRawBufferPointer(start: base, count: size))
    }
}
