import Glibc
import SystemCalls

/// The open file of a store: locked, with a valid header, and mapped for reading.
///
/// All writes use `pwrite`, because a write through a mapping crashes the process (SIGBUS) when the disk is full. The
/// file is only extended or replaced, never truncated, so that mapped pages always exist. The mapping covers the whole
/// future file: pages beyond its present end are never read.
struct MappedStoreFile: ~Copyable, Sendable {
    let format: MappedStoreFormat
    private let descriptor: FileDescriptor
    /// The lock file, whose lock this value holds. It serialises the creation of new files.
    private let lockFile: FileDescriptor
    /// All bytes of the file, also those to which it has not grown.
    let mapping: Mapping

    /// Opens the file at a path. Replaces a file that is damaged or has another format with an empty one: writes a new
    /// file beside it and renames it.
    ///
    /// - Throws: ``SystemCallError``; with `EBUSY` if another store uses the file.
    init(path: String, format: MappedStoreFormat) throws(SystemCallError) {
        let lockFile = try FileDescriptor(
            opening: path + ".lock", flags: O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600)
        guard try lockFile.tryLock() else { throw SystemCallError(call: "lock", number: EBUSY) }
        let existing = try Self.openExisting(path, format)
        let descriptor = if let existing { existing } else { try Self.create(path, format) }
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
            // A missing file, a symbolic link, a directory or a special file: the new file replaces it, or fails.
            if [ENOENT, ELOOP, EISDIR, ENXIO].contains(error.number) { return nil }
            throw error
        }
        guard let size = try file.regularFileSize(), size >= format.slotsOffset else { return nil }
        // If a program removed the lock file, the lock on the file itself still keeps a second store out.
        guard try file.tryLock() else { throw SystemCallError(call: "lock", number: EBUSY) }
        let header = format.header
        var valid: [Int] = []
        for offset in MappedStoreFormat.headerOffsets {
            var found = [UInt64](repeating: 0, count: header.count)
            let count = try readWords(&found, file, at: offset)
            if count == MemoryLayout<UInt64>.size * header.count, found == header { valid.append(offset) }
        }
        if valid.isEmpty { return nil }
        if valid.count < MappedStoreFormat.headerOffsets.count { try writeHeaders(file, format) }
        return file
    }

    /// Creates an empty file, and renames it to the path when it is complete.
    private static func create(_ path: String, _ format: MappedStoreFormat) throws(SystemCallError) -> FileDescriptor {
        let newPath = path + ".new"
        // A crash may have left this file behind. It has no pictures yet.
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

    private static func writeHeaders(_ file: borrowing FileDescriptor, _ format: MappedStoreFormat)
        throws(SystemCallError)
    {
        for offset in MappedStoreFormat.headerOffsets { try writeWords(format.header, file, at: offset) }
    }

    private static func readWords(_ words: inout [UInt64], _ file: borrowing FileDescriptor, at offset: Int)
        throws(SystemCallError) -> Int
    {
        try words.withUnsafeMutableBufferPointer { words throws(SystemCallError) in
            try file.read(into: UnsafeMutableRawBufferPointer(words), at: offset)
        }
    }

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

    /// The mapped bytes of a slot's picture, valid while this value exists.
    func picture(_ slot: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: mapping.base + format.slotOffset(slot), count: format.layout.byteCount)
    }

    /// The record of a slot; nil if the slot is empty or the record is damaged.
    func record(_ slot: Int) -> MappedStoreRecord? {
        let bytes = UnsafeRawBufferPointer(
            start: mapping.base + format.recordOffset(slot), count: MappedStoreRecord.size)
        return MappedStoreRecord(bytes, slot: slot)
    }

    /// Returns the number of a slot's last use when the order of use was written.
    func lastUse(_ slot: Int) -> UInt64 {
        let offset = format.usesOffset + slot * MemoryLayout<UInt64>.size
        return UInt64(littleEndian: mapping.base.load(fromByteOffset: offset, as: UInt64.self))
    }

    /// Makes a slot empty.
    func clearRecord(_ slot: Int) throws(SystemCallError) {
        let empty = [UInt64](repeating: 0, count: MappedStoreRecord.size / MemoryLayout<UInt64>.size)
        try Self.writeWords(empty, descriptor, at: format.recordOffset(slot))
    }

    /// Writes a picture into a slot. The record is invalid until the picture is complete, so that a crash leaves an
    /// empty slot.
    func write(_ picture: UnsafeRawBufferPointer, _ record: MappedStoreRecord, slot: Int) throws(SystemCallError) {
        try clearRecord(slot)
        try descriptor.write(picture, at: format.slotOffset(slot))
        try Self.writeWords(record.words(slot: slot), descriptor, at: format.recordOffset(slot))
    }

    /// Writes the numbers of the last uses of all slots.
    func writeLastUses(_ uses: [UInt64]) throws(SystemCallError) {
        try Self.writeWords(uses.map(\.littleEndian), descriptor, at: format.usesOffset)
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
