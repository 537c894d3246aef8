import CLinux
import Glibc

/// Reading, writing and locking of regular files. All offsets and sizes are in bytes.
extension FileDescriptor {
    /// Returns the size of a regular file; nil if the descriptor refers to anything else.
    package func regularFileSize() throws(SystemCallError) -> Int? {
        var status = stat()
        try systemCall("fstat") { fstat(raw, &status) }
        return status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    }

    /// Reads bytes at an offset until the buffer is full or the file ends.
    ///
    /// - Returns: The number of bytes read.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemCallError) -> Int {
        var readCount = 0
        while readCount < buffer.count, let baseAddress = buffer.baseAddress {
            let count = try systemCall("pread") {
                pread(raw, baseAddress + readCount, buffer.count - readCount, off_t(offset + readCount))
            }
            if count == 0 { break }
            readCount += count
        }
        return readCount
    }

    /// Returns the bytes at an offset; fewer than `count` if the file ends before.
    package func bytes(at offset: Int, count: Int) throws(SystemCallError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(SystemCallError) in try read(into: buffer, at: offset) }
        }
        return Array(bytes.prefix(try result.get()))
    }

    /// Writes all bytes at an offset, and enlarges the file if necessary. If the call fails, some of the bytes may have
    /// been written.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemCallError) {
        var writtenCount = 0
        while writtenCount < bytes.count, let baseAddress = bytes.baseAddress {
            writtenCount += try systemCall("pwrite") {
                pwrite(raw, baseAddress + writtenCount, bytes.count - writtenCount, off_t(offset + writtenCount))
            }
        }
    }

    /// Sets the size of the file. New bytes are zero and need no space on the disk until they are written.
    package func setSize(_ size: Int) throws(SystemCallError) {
        try systemCall("ftruncate") { ftruncate(raw, off_t(size)) }
    }

    /// Waits until the content of the file is on the disk.
    package func synchronize() throws(SystemCallError) { try systemCall("fdatasync") { fdatasync(raw) } }

    /// Starts writing the content of the file to the disk, and does not wait until it is there. May wait for a disk
    /// that has much to write. Does not replace ``synchronize()``, which also stores the size of the file.
    package func startWriteback() throws(SystemCallError) {
        try systemCall("sync_file_range") { clinux_start_writeback(raw) }
    }

    /// Locks the whole file for this open file description, without waiting. All duplicates of the descriptor,
    /// including those in child processes, share the lock. The lock ends with ``unlock()`` or when all these
    /// descriptors are closed. The descriptor must be writable.
    ///
    /// - Returns: False if another open file description, in this or another process, holds the lock.
    package func tryLock() throws(SystemCallError) -> Bool {
        do {
            try systemCall("fcntl(F_OFD_SETLK)") { clinux_lock(raw, 1) }
            return true
        } catch {
            if error.number == EAGAIN || error.number == EACCES { return false }
            throw error
        }
    }

    /// Unlocks the file. Closing the descriptor does not unlock the file while a child process still has a copy of the
    /// descriptor.
    package func unlock() { _ = clinux_lock(raw, 0) }
}

/// Functions that rename and remove files.
package enum DirectoryEntry {
    /// Renames a file. An existing file at `newPath` is replaced in one step, so that the path always refers to the old
    /// or to the new file.
    package static func rename(_ path: String, to newPath: String) throws(SystemCallError) {
        try systemCall("rename") { Glibc.rename(path, newPath) }
    }

    /// Removes a file. Does nothing if the file does not exist.
    package static func remove(_ path: String) throws(SystemCallError) {
        do { try systemCall("unlink") { unlink(path) } } catch {
            guard error.number == ENOENT else { throw error }
        }
    }
}
