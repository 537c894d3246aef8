import CLinux
import Glibc
import SystemCalls

/// A file that a transfer writes: only appended to or emptied, through a descriptor from the ledger.
struct PartFile {
    /// The largest error page that is stored beside a part file, in bytes.
    static let errorPageLimit: Int64 = 16 << 20

    /// The descriptor of the file.
    let descriptor: SharedDescriptor
    /// The number of bytes of content in the file.
    private(set) var length: Int64
    /// The number of bytes that are known to be on the disk.
    private(set) var durableLength: Int64
    /// The number of times that content was discarded. Outcomes of earlier synchronisations do not count any more.
    private(set) var generation = 0
    /// The end of the disk space that was reserved; 0 if none was.
    private var reservedEnd: Int64 = 0

    /// Takes a file that holds `length` bytes of content; discards further bytes.
    ///
    /// - Throws: `SystemCallError` if the file is shorter (`EIO`), is not a regular file, or cannot be changed.
    init(_ descriptor: SharedDescriptor, length: Int64) throws(SystemCallError) {
        self.descriptor = descriptor
        (self.length, durableLength) = (length, length)
        guard let size = try descriptor.fileDescriptor.regularFileSize() else {
            throw SystemCallError(call: "the part is not a regular file", number: EINVAL)
        }
        guard Int64(size) >= length else {
            throw SystemCallError(call: "the part file is shorter than expected", number: EIO)
        }
        if Int64(size) > length { try descriptor.fileDescriptor.setSize(Int(length)) }
    }

    /// Appends bytes.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) {
        try descriptor.fileDescriptor.write(bytes, at: Int(length))
        length += Int64(bytes.count)
    }

    /// Discards the content from `newLength` on.
    mutating func truncate(to newLength: Int64) throws(SystemCallError) {
        try descriptor.fileDescriptor.setSize(Int(newLength))
        (length, durableLength) = (newLength, min(durableLength, newLength))
        reservedEnd = 0
        generation += 1
    }

    /// Returns whether the file has these bytes at an offset.
    func matches(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemCallError) -> Bool {
        try withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 16) {
            buffer throws(SystemCallError) -> Bool in
            let count = try descriptor.fileDescriptor.read(into: buffer, at: Int(offset))
            guard count == bytes.count else { return false }
            guard count > 0, let expected = bytes.baseAddress, let actual = buffer.baseAddress else { return true }
            return memcmp(expected, actual, count) == 0
        }
    }

    /// Reserves disk space up to the end of the content, so that a full disk is noticed early. The size of the file
    /// does not change. Does nothing on file systems that cannot reserve space.
    ///
    /// - Throws: `SystemCallError` if the disk has not enough space.
    mutating func reserve(upTo end: Int64) throws(SystemCallError) {
        guard end > length else { return }
        do throws(SystemCallError) {
            try systemCall("fallocate") { clinux_reserve_space(descriptor.raw, length, end - length) }
            reservedEnd = end
        } catch {
            guard [ENOSPC, EDQUOT, EFBIG, EIO].contains(error.number) else { return }
            throw error
        }
    }

    /// Releases reserved disk space behind the content.
    mutating func releaseReservation() {
        guard reservedEnd > length else { return }
        // A truncation to the current size releases the space behind it; file systems do not punch holes there.
        try? descriptor.fileDescriptor.setSize(Int(length))
        reservedEnd = 0
    }

    /// Records that the bytes up to `syncedLength` were synchronised.
    ///
    /// - Parameter syncGeneration: The ``generation`` at the time of the synchronisation.
    mutating func recordSynchronization(upTo syncedLength: Int64, generation syncGeneration: Int) {
        if syncGeneration == generation { durableLength = max(durableLength, min(syncedLength, length)) }
    }
}
