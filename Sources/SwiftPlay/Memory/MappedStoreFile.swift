import Glibc
import SystemCalls

/// The open file of a store: locked, with a valid header, and mapped for reading.
///
/// All writes use `pwrite`, because a write through a mapping crashes the process (SIGBUS) when the disk is full. The
/// file is only extended or replaced, never truncated, so that mapped pages always exist. The mapping covers the whole
/// future file: pages beyond its present end are never read.
struct MappedStoreFile: ~Copyable, Sendable {
    /// The offsets of all parts of the file.
    let format: MappedStoreFormat
    /// The open file, which this value has locked.
    private let descriptor: FileDescriptor
    /// The lock file, whose lock this value holds. It serialises the creation of new files.
    private let lockFile: FileDescriptor
    /// The mapping of all bytes that the full file will have. Bytes beyond the present end of the file must not be
    /// read.
    let mapping: Mapping

    /// Opens the file at a path. Replaces a file that is damaged or has another format with an empty one: writes a new
    /// file beside it and renames it.
    ///
    /// - Throws: ``SystemCallError``; with `EBUSY` if another store uses the file.
    init(path: String, format: MappedStoreFormat) throws(SystemCallError) {
        let lockFile = try FileDescriptor(
            opening: path + ".lock", flags: O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600)
        guard try lockFile.tryLock() else { throw SystemCallError(call: "lock", number: EBUSY) }
        let existingFile = try Self.openExisting(path, format)
        let descriptor = if let existingFile { existingFile } else { try Self.create(path, format) }
        mapping = try Mapping(descriptor: descriptor.raw, size: format.fileSize, writable: false)
        self.format = format
        self.descriptor = descriptor
        self.lockFile = lockFile
    }

    deinit {
        descriptor.unlock()
        lockFile.unlock()
    }

    /// Opens and locks a file of this format; nil if there is none.
    private static func openExisting(_ path: String, _ format: MappedStoreFormat) throws(SystemCallError)
        -> FileDescriptor?
    {
        let file: FileDescriptor
        do { file = try FileDescriptor(opening: path, flags: O_RDWR | O_NOFOLLOW | O_NONBLOCK) } catch {
            // There is no file, or a symbolic link, a directory or a special file. The caller creates a new file, which
            // replaces it or fails.
            if [ENOENT, ELOOP, EISDIR, ENXIO].contains(error.number) { return nil }
            throw error
        }
        guard let size = try file.regularFileSize(), size >= format.slotsOffset else { return nil }
        // Lock the file itself, too: if a program has removed the lock file, this lock still excludes a second store.
        guard try file.tryLock() else { throw SystemCallError(call: "lock", number: EBUSY) }
        let header = format.header
        var validHeaderOffsets: [Int] = []
        for offset in MappedStoreFormat.headerOffsets {
            var storedHeader = [UInt64](repeating: 0, count: header.count)
            let byteCount = try readWords(&storedHeader, file, at: offset)
            if byteCount == MemoryLayout<UInt64>.size * header.count, storedHeader == header {
                validHeaderOffsets.append(offset)
            }
        }
        if validHeaderOffsets.isEmpty { return nil }
        if validHeaderOffsets.count < MappedStoreFormat.headerOffsets.count { try writeHeaders(file, format) }
        return file
    }

    /// Creates an empty file, and renames it to the path when it is complete.
    private static func create(_ path: String, _ format: MappedStoreFormat) throws(SystemCallError) -> FileDescriptor {
        let newPath = path + ".new"
        // A crash may have left a new file without pictures at this path.
        try DirectoryEntry.remove(newPath)
        let file = try FileDescriptor(
            opening: newPath, flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        do throws(SystemCallError) {
            try file.setSize(format.slotsOffset)
            try writeHeaders(file, format)
            try file.synchronize()
            guard try file.tryLock() else { throw SystemCallError(call: "lock", number: EBUSY) }
            try DirectoryEntry.rename(newPath, to: path)
        } catch {
            try? DirectoryEntry.remove(newPath)
            throw error
        }
        return file
    }

    /// Writes the header and its copy.
    private static func writeHeaders(_ file: borrowing FileDescriptor, _ format: MappedStoreFormat)
        throws(SystemCallError)
    {
        for offset in MappedStoreFormat.headerOffsets { try writeWords(format.header, file, at: offset) }
    }

    /// Reads 64-bit words from a file, and returns the number of bytes that were read.
    private static func readWords(_ words: inout [UInt64], _ file: borrowing FileDescriptor, at offset: Int)
        throws(SystemCallError) -> Int
    {
        try words.withUnsafeMutableBufferPointer { words throws(SystemCallError) in
            try file.read(into: UnsafeMutableRawBufferPointer(words), at: offset)
        }
    }

    /// Writes 64-bit words to a file.
    private static func writeWords(_ words: [UInt64], _ file: borrowing FileDescriptor, at offset: Int)
        throws(SystemCallError)
    {
        try words.withUnsafeBufferPointer { words throws(SystemCallError) in
            try file.write(UnsafeRawBufferPointer(words), at: offset)
        }
    }

    /// The number of slots whose pictures the file has at present; zero if the file cannot be read. Mapped bytes of
    /// further slots must not be read.
    var slotCount: Int {
        guard let size = try? descriptor.regularFileSize() else { return 0 }
        return format.slotCount(inFileOf: size)
    }

    /// The size of the file in bytes; zero if it cannot be read.
    var size: Int { (try? descriptor.regularFileSize()) ?? 0 }

    /// Returns the mapped bytes of a slot's picture, which are valid while this value exists.
    func picture(_ slot: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: mapping.base + format.slotOffset(slot), count: format.layout.byteCount)
    }

    /// Returns the record of a slot; nil if the slot is empty or the record is damaged.
    func record(_ slot: Int) -> MappedStoreRecord? {
        let bytes = UnsafeRawBufferPointer(
            start: mapping.base + format.recordOffset(slot), count: MappedStoreRecord.size)
        return MappedStoreRecord(bytes, slot: slot)
    }

    /// Returns the number of a slot's last use, as it was when the order of use was written to the file.
    func lastUse(_ slot: Int) -> UInt64 {
        let offset = format.usesOffset + slot * MemoryLayout<UInt64>.size
        return UInt64(littleEndian: mapping.base.load(fromByteOffset: offset, as: UInt64.self))
    }

    /// Overwrites the record of a slot with zeros, which makes the slot empty.
    func clearRecord(_ slot: Int) throws(SystemCallError) {
        let emptyRecord = [UInt64](repeating: 0, count: MappedStoreRecord.size / MemoryLayout<UInt64>.size)
        try Self.writeWords(emptyRecord, descriptor, at: format.recordOffset(slot))
    }

    /// Writes a picture into a slot. The record is invalid until the picture is complete, so that a crash leaves an
    /// empty slot.
    func write(_ picture: UnsafeRawBufferPointer, _ record: MappedStoreRecord, slot: Int) throws(SystemCallError) {
        try clearRecord(slot)
        try descriptor.write(picture, at: format.slotOffset(slot))
        try Self.writeWords(record.words(slot: slot), descriptor, at: format.recordOffset(slot))
    }

    /// Writes the numbers of the last uses of all slots.
    func writeLastUses(_ lastUses: [UInt64]) throws(SystemCallError) {
        try Self.writeWords(lastUses.map(\.littleEndian), descriptor, at: format.usesOffset)
    }
}

extension PlaybackError {
    /// Creates the error for a system call that failed on the file of a ``MappedStore``.
    init(storeAt path: String, _ error: SystemCallError) {
        let code: Code =
            switch error.number {
            case EBUSY: .fileInUse
            case ENOSPC, EDQUOT, EFBIG: .diskFull
            case ENOENT, ENOTDIR: .notFound
            case EACCES, EPERM, EROFS, ELOOP: .notPermitted
            case ENOMEM, EMFILE, ENFILE: .resources
            default: .input
            }
        let message =
            code == .fileInUse
            ? "\(path): another program uses this store" : "\(path): \(error)"
        self.init(code, message, underlying: error)
    }
}
