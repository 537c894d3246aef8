import BackgroundProtocol
import Glibc
import SystemCalls
import TestSupport
import Testing
import TransferPolicy
import WireFormat

@testable import TransferEngine

/// Part files on full or broken disks.
@Suite struct DiskFaultTests {
    /// A server of one megabyte.
    private func server(announcesLength: Bool) throws -> FaultServer {
        let content = TestContent.bytes(1_000_000)
        return try FaultServer { _ in
            announcesLength
                ? [.head("HTTP/1.1 200 OK", "Content-Length: 1000000", "ETag: \"a\""), .bytes(content)]
                : [.head("HTTP/1.1 200 OK", "ETag: \"a\""), .bytes(content), .close]
        }
    }

    /// Mounts a file system of 256 KiB in memory, and returns a file on it.
    private func smallDisk() throws -> (TemporaryDirectory, TestFile) {
        let directory = try TemporaryDirectory()
        try run("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", directory.path])
        return (directory, try TestFile(directory.file("part"), []))
    }

    @Test(arguments: [true, false]) func aFullDiskIsReportedWithItsError(_ announcesLength: Bool) throws {
        let (directory, file) = try smallDisk()
        defer { _ = try? run("umount", ["-l", directory.path]) }
        let server = try server(announcesLength: announcesLength)
        let engine = try EngineFixture()
        let record = try engine.run(engine.order(server.address), file)
        #expect(record.failure?.kind == .disk && record.failure?.code == ENOSPC)
        #expect(record.failure?.mayHaveLostBytes == false)
        #expect(record.failure.map { $0.durableLength <= 262_144 } == true)
    }

    @Test func aFullDiskIsNoticedBeforeTheFirstByte() throws {
        let (directory, file) = try smallDisk()
        defer { _ = try? run("umount", ["-l", directory.path]) }
        let server = try server(announcesLength: true)
        let engine = try EngineFixture()
        let record = try engine.run(engine.order(server.address), file)
        #expect(record.failure?.durableLength == 0 && record.responses.isEmpty)
    }

    @Test func theContentBeforeTheDiskWasFullIsKept() throws {
        let (directory, file) = try smallDisk()
        defer { _ = try? run("umount", ["-l", directory.path]) }
        let server = try server(announcesLength: false)
        let engine = try EngineFixture()
        let record = try engine.run(engine.order(server.address), file)
        let keptCount = Int(try #require(record.failure).durableLength)
        #expect(keptCount > 100_000)
        #expect(try Array(file.content.prefix(keptCount)) == TestContent.bytes(keptCount))
    }

    /// Opens a file that takes numbers, of which 51 is the default, and cannot be synchronised.
    private func unsynchronizableFile() throws -> SharedDescriptor {
        SharedDescriptor(try FileDescriptor(opening: "/proc/self/coredump_filter", flags: O_RDWR))
    }

    @Test("a file that cannot be synchronised may have lost bytes")
    func aFailedSynchronisationIsReported() throws {
        let server = try FaultServer { _ in [.head("HTTP/1.1 200 OK", "Content-Length: 2"), .text("51")] }
        let engine = try EngineFixture()
        let record = try engine.run(engine.order(server.address), descriptors: [try unsynchronizableFile()])
        #expect(record.failure?.kind == .disk && record.failure?.code == EINVAL)
        #expect(record.failure?.mayHaveLostBytes == true && record.failure?.durableLength == 0)
    }

    @Test("an engine that exits discards the bytes that it cannot synchronise")
    func uncertainBytesAreDiscardedAtTheExit() throws {
        let (transfer, ledger) = try EngineTransfer.continuing(try unsynchronizableFile())
        try Array("51".utf8).withUnsafeBytes { try transfer.part.append($0) }
        transfer.endAtOnce()
        #expect(transfer.part.length == 0)
        guard case .message(let message) = ledger.receive() else { throw TestFailure("no event") }
        #expect(try EngineEvent(decoding: message.bytes) == .stopped(transfer: 1, durableLength: 0))
    }

    @Test(
        "a failed synchronisation discards the uncertain bytes of its file, and of no other",
        arguments: [FileSynchronizer.Work.synchronize, .synchronizeErrorPage])
    func onlyBytesOfThePartFileAreDiscarded(_ work: FileSynchronizer.Work) throws {
        let directory = try TemporaryDirectory()
        let file = try TestFile(directory.file("part"), Array("film".utf8))
        let part = SharedDescriptor(try FileDescriptor(opening: directory.file("part"), flags: O_RDWR))
        let (transfer, ledger) = try EngineTransfer.continuing(part, heldLength: 4)
        try Array("holes".utf8).withUnsafeBytes { try transfer.part.append($0) }
        let error = SystemCallError(call: "fdatasync", number: EIO)
        transfer.handleSynchronization(
            FileSynchronizer.Outcome(transfer: 1, work: work, generation: 0, length: 9, error: error))
        let isPart = work == .synchronize
        #expect(try file.content == Array((isPart ? "film" : "filmholes").utf8))
        guard case .message(let message) = ledger.receive(),
            case .failed(1, let failure) = try EngineEvent(decoding: message.bytes)
        else { throw TestFailure("no failure") }
        #expect(failure.kind == .disk && failure.mayHaveLostBytes == isPart)
    }

    @Test func aReadOnlyFileIsADiskFailure() throws {
        let directory = try TemporaryDirectory()
        _ = try TestFile(directory.file("part"), [])
        let descriptor = SharedDescriptor(try FileDescriptor(opening: directory.file("part"), flags: O_RDONLY))
        let server = try server(announcesLength: false)
        let engine = try EngineFixture()
        let order = engine.order(server.address)
        try engine.send(.start(order), [descriptor.raw])
        #expect(try engine.wait(for: order.transfer).failure?.kind == .disk)
    }

    @Test(arguments: ["/dev/full", "/dev/null"]) func aDeviceIsNoPartFile(_ path: String) throws {
        let descriptor = SharedDescriptor(try FileDescriptor(opening: path, flags: O_RDWR))
        let engine = try EngineFixture()
        let order = engine.order("http://127.0.0.1:1/")
        try engine.send(.start(order), [descriptor.raw])
        #expect(try engine.wait(for: order.transfer).failure?.kind == .disk)
    }

    @Test(arguments: ["9223372036854775807", "4611686018427387904"])
    func aContentThatNoFileCanHoldIsRefused(_ length: String) throws {
        let server = try FaultServer { _ in [.head("HTTP/1.1 200 OK", "Content-Length: \(length)"), .hold] }
        let engine = try EngineFixture()
        let record = try engine.run(engine.order(server.address), try engine.makeFile())
        #expect(record.failure?.kind == .tooLarge && record.responses.isEmpty)
    }
}
