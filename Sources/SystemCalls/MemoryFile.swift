import CLinux
import Glibc

/// Memory that other processes can map: a `memfd`, sealed so that it can neither shrink nor grow.
package struct MemoryFile: ~Copyable, Sendable {
    package let descriptor: FileDescriptor
    /// Size in bytes.
    package let size: Int

    /// Makes one of `size` bytes, all zero, sealed against a change of size.
    package init(name: String, size: Int) throws(SystemCallError) {
        let descriptor = FileDescriptor(
            owning: try systemCall("memfd_create") { clinux_memfd_create(name, clinux_mfd_flags()) })
        try systemCall("ftruncate") { ftruncate(descriptor.raw, size) }
        let seals = CLINUX_F_SEAL_SHRINK | CLINUX_F_SEAL_GROW | CLINUX_F_SEAL_SEAL
        try systemCall("fcntl(F_ADD_SEALS)") { clinux_add_seals(descriptor.raw, seals) }
        self.descriptor = descriptor
        self.size = size
    }

    /// Takes over a descriptor that came from another process, if it is what it claims to be: a memory file of at least
    /// `minimumSize` and at most `maximumSize` bytes that its maker can no longer shrink under us.
    ///
    /// - Throws: `EINVAL` under the name of the check that it failed.
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

    /// Gives up the descriptor alone, for a holder that shares it.
    package consuming func release() -> FileDescriptor { descriptor }

    /// Maps all of it.
    package func map(writable: Bool) throws(SystemCallError) -> Mapping {
        try Mapping(descriptor: descriptor.raw, size: size, writable: writable)
    }
}

/// The one owner of a shared mapping; unmaps it when it goes.
package struct Mapping: ~Copyable, @unchecked Sendable {
    // Sendable: the address stays valid for the life of this value on every thread; who may touch which bytes is the
    // business of the type that holds the mapping (`FramePool`, `DescriptorRingWriter`).
    package let base: UnsafeMutableRawPointer
    package let size: Int
    package let isWritable: Bool

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

    /// The bytes, for the length of `body` only.
    package func withBytes<Result, Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result)
        throws(Failure) -> Result
    {
        try body(UnsafeRawBufferPointer(start: base, count: size))
    }
}
