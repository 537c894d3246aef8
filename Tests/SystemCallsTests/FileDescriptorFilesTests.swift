import Foundation
import Testing

@testable import SystemCalls

@Suite struct FileDescriptorFilesTests {
    /// Calls a closure with the path of a file that does not exist, and removes the file afterwards.
    private func withPath(_ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "/swiftplay-file-\(UUID().uuidString)"
        defer { unlink(path) }
        try body(path)
    }

    private func open(_ path: String) throws -> FileDescriptor {
        try FileDescriptor(opening: path, flags: O_RDWR | O_CREAT, mode: 0o600)
    }

    @Test func writtenBytesAreReadAtTheirOffset() throws {
        try withPath { path in
            let file = try open(path)
            #expect(try file.regularFileSize() == 0)
            try [UInt8](1...10).withUnsafeBytes { try file.write($0, at: 5) }
            try file.synchronize()
            #expect(try file.regularFileSize() == 15)
            var bytes = [UInt8](repeating: 0xFF, count: 20)
            let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 4) }
            #expect(count == 11 && bytes.prefix(11) == [0] + Array(1...10))
            #expect(try file.bytes(at: 4, count: 20) == [0] + Array(1...10) && file.bytes(at: 5, count: 2) == [1, 2])
            try file.setSize(8)
            #expect(try file.regularFileSize() == 8)
        }
    }

    @Test func onlyRegularFilesHaveASizeAndAFullDiskThrows() throws {
        let nullDevice = try FileDescriptor(opening: "/dev/null", flags: O_RDWR)
        #expect(try nullDevice.regularFileSize() == nil)
        let fullDevice = try FileDescriptor(opening: "/dev/full", flags: O_RDWR)
        do {
            try [UInt8](1...3).withUnsafeBufferPointer { bytes throws(SystemCallError) in
                try fullDevice.write(UnsafeRawBufferPointer(bytes), at: 0)
            }
            Issue.record("/dev/full accepted bytes")
        } catch { #expect(error == SystemCallError(call: "pwrite", number: ENOSPC)) }
    }

    @Test func duplicatesOfADescriptorShareOneFileLock() throws {
        try withPath { path in
            let secondOpening = try open(path)
            let firstOpening = try open(path)
            #expect(try firstOpening.tryLock() && firstOpening.tryLock())
            #expect(try !secondOpening.tryLock())
            let duplicate = try firstOpening.duplicate()
            #expect(try duplicate.tryLock() && !secondOpening.tryLock())
            // Unlocking also ends the lock of the duplicate.
            firstOpening.unlock()
            #expect(try secondOpening.tryLock() && !duplicate.tryLock())
        }
    }

    @Test func writebackStartsForFilesOnly() throws {
        try withPath { path in
            let file = try open(path)
            try [UInt8](1...10).withUnsafeBytes { try file.write($0, at: 0) }
            try file.startWriteback()
        }
        let nullDevice = try FileDescriptor(opening: "/dev/null", flags: O_RDWR)
        #expect(throws: SystemCallError(call: "sync_file_range", number: ESPIPE)) { try nullDevice.startWriteback() }
    }

    @Test func renamingReplacesTheFileAtTheNewPath() throws {
        try withPath { path in
            let replacedFile = try open(path)
            let renamedFile = try open(path + ".new")
            try [UInt8](1...3).withUnsafeBytes { try renamedFile.write($0, at: 0) }
            try DirectoryEntry.rename(path + ".new", to: path)
            #expect(try open(path).regularFileSize() == 3 && replacedFile.regularFileSize() == 0)
            try DirectoryEntry.remove(path)
            try DirectoryEntry.remove(path)
            #expect(access(path, F_OK) != 0)
        }
    }

    @Test func readingBeyondTheEndReturnsNoBytes() throws {
        try withPath { path in
            let file = try open(path)
            try [UInt8](1...4).withUnsafeBytes { try file.write($0, at: 0) }
            var bytes = [UInt8](repeating: 0xFF, count: 4)
            #expect(try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 4) } == 0)
            #expect(try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 1 << 40) } == 0)
            #expect(bytes == [0xFF, 0xFF, 0xFF, 0xFF])
            #expect(try file.read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0), at: 0) == 0)
        }
    }

    @Test func anEnlargedFileContainsZeros() throws {
        try withPath { path in
            let file = try open(path)
            try [UInt8](1...4).withUnsafeBytes { try file.write($0, at: 0) }
            try file.setSize(2)
            try file.setSize(6)
            var bytes = [UInt8](repeating: 0xFF, count: 8)
            #expect(try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) } == 6)
            #expect(bytes == [1, 2, 0, 0, 0, 0, 0xFF, 0xFF])
        }
    }

    @Test func lockingAFileThatIsNotWritableIsAnError() throws {
        try withPath { path in
            _ = try open(path)
            let readOnlyFile = try FileDescriptor(opening: path, flags: O_RDONLY)
            #expect(throws: SystemCallError(call: "fcntl(F_OFD_SETLK)", number: EBADF)) {
                _ = try readOnlyFile.tryLock()
            }
        }
    }

    @Test func renamingAMissingFileAndRemovingAFolderAreErrors() throws {
        try withPath { path in
            #expect(throws: SystemCallError(call: "rename", number: ENOENT)) {
                try DirectoryEntry.rename(path, to: path + ".new")
            }
            #expect(mkdir(path, 0o700) == 0)
            defer { rmdir(path) }
            #expect(throws: SystemCallError.self) { try DirectoryEntry.remove(path) }
            #expect(access(path, F_OK) == 0)
        }
    }
}
