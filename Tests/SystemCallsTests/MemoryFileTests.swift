import CLinux
import Glibc
import Testing

@testable import SystemCalls

@Suite struct MemoryFileTests {
    /// Returns a memory file that can still be resized.
    private func unsealedFile(_ size: Int) throws -> FileDescriptor {
        let file = FileDescriptor(
            owning: try systemCall("memfd_create") { clinux_memfd_create("test", clinux_mfd_flags()) })
        try systemCall("ftruncate") { ftruncate(file.raw, size) }
        return file
    }

    /// Returns the error that `body` throws; nil if it succeeds.
    private func thrownError(_ body: () throws -> Void) -> SystemCallError? {
        do {
            try body()
            return nil
        } catch { return error as? SystemCallError }
    }

    @Test func newMemoryFileContainsZerosAndItsMappingsShareMemory() throws {
        let file = try MemoryFile(name: "test", size: 8192)
        let writableMapping = try file.map(writable: true), readOnlyMapping = try file.map(writable: false)
        #expect(readOnlyMapping.withBytes { $0.count == 8192 && $0.allSatisfy { $0 == 0 } })
        writableMapping.base.storeBytes(of: 0x5A, toByteOffset: 8191, as: UInt8.self)
        #expect(readOnlyMapping.withBytes { $0[8191] } == 0x5A)
        #expect(writableMapping.isWritable && !readOnlyMapping.isWritable)
    }

    @Test func theSizeOfAMemoryFileCannotChange() throws {
        let file = try MemoryFile(name: "test", size: 4096)
        #expect(ftruncate(file.descriptor.raw, 0) < 0)
        #expect(ftruncate(file.descriptor.raw, 8192) < 0)
        #expect(clinux_add_seals(file.descriptor.raw, CLINUX_F_SEAL_GROW) < 0, "further seals are refused")
    }

    @Test func receivedMemoryFileKeepsItsSize() throws {
        let file = try MemoryFile(name: "test", size: 4096)
        let received = try MemoryFile(received: try file.descriptor.duplicate(), minimumSize: 4096, maximumSize: 4096)
        #expect(received.size == 4096)
    }

    @Test func unsealedMemoryFileIsRefused() throws {
        #expect(
            thrownError { _ = try MemoryFile(received: try unsealedFile(4096), minimumSize: 1, maximumSize: 8192) }?
                .number
                == EINVAL)
    }

    @Test func memoryFileSealedOnlyAgainstGrowthIsRefused() throws {
        let file = try unsealedFile(4096)
        #expect(clinux_add_seals(file.raw, CLINUX_F_SEAL_GROW | CLINUX_F_SEAL_SEAL) == 0)
        #expect(
            thrownError { _ = try MemoryFile(received: try file.duplicate(), minimumSize: 1, maximumSize: 8192) }?
                .number
                == EINVAL)
    }

    @Test func memoryFileOutsideTheSizeLimitsIsRefused() throws {
        let file = try MemoryFile(name: "test", size: 4096)
        #expect(
            thrownError {
                _ = try MemoryFile(received: try file.descriptor.duplicate(), minimumSize: 4097, maximumSize: 8192)
            } != nil)
        #expect(
            thrownError {
                _ = try MemoryFile(received: try file.descriptor.duplicate(), minimumSize: 1, maximumSize: 4095)
            }
                != nil)
    }

    @Test func filesOtherThanMemoryFilesAreRefused() throws {
        #expect(
            thrownError {
                _ = try MemoryFile(
                    received: try FileDescriptor(opening: "/dev/null", flags: O_RDWR), minimumSize: 0, maximumSize: 10)
            } != nil)
    }
}
