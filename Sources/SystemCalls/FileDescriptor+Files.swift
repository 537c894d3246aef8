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
        var done = 0
        while done < buffer.count, let base = buffer.baseAddress {
            let count = try systemCall("pread") { pread(raw, base + done, buffer.count - done, off_t(offset + done)) }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Writes all bytes at an offset; the file grows if it is shorter. If the call fails, some of the bytes may have
    /// been written.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemCallError) {
        var done = 0
        while done < bytes.count, let base = bytes.baseAddress {
            done += try systemCall("pwrite") { pwrite(raw, base + done, bytes.count - done, off_t(offset + done)) }
        }
    }

    /// Sets the size of the file. New bytes are zero and need no space on the disk until they are written.
    package func setSize(_ size: Int) throws(SystemCallError) {
        try systemCall("ftruncate") { ftruncate(raw, off_t(size)) }
    }

    /// Waits until the content of the file is on the disk.
    package func synchronize() throws(SystemCallError) { try systemCall("fdatasync") { fdatasync(raw) } }

    /// Locks the whole file for this open file description, without waiting. The lock ends when all duplicates of the
    /// descriptor are closed, also by a crash. The descriptor must be writable.
    ///
    /// - Returns: false if another open file description holds a lock, in this or another process.
    package func tryLock() throws(SystemCallError) -> Bool {
        do {
            try systemCall("fcntl(F_OFD_SETLK)") { clinux_lock(raw, 1) }
            return true
        } catch {
            if error.number == EAGAIN || error.number == EACCES { return false }
            throw error
        }
    }

    /// Unlocks the file. Closing alone would keep the lock while another process, which was started meanwhile, has not
    /// closed its copy of the descriptor.
    package func unlock() { _ = clinux_lock(raw, 0) }
}

/// Changes of directory entries.
package enum DirectoryEntry {
    /// Renames a file; replaces a file at the new path in one step, so that the path never refers to anything else.
    package static func rename(_ path: String, to newPath: String) throws(SystemCallError) {
        try systemCall("rename") { Glibc.rename(path, newPath) }
    }

    /// Removes a file. Does nothing if there is no such file.
    package static func remove(_ path: String) throws(SystemCallError) {
        do { try systemCall("unlink") { unlink(path) } } catch {
            guard error.number == ENOENT else { throw error }
        }
    }
}
