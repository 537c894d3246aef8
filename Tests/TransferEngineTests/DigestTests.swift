import BackgroundProtocol
import Glibc
import SystemCalls
import TestSupport
import Testing
import TransferPolicy

@testable import TransferEngine

/// Downloads whose digest is known.
@Suite struct DigestTests {
    /// The digest of "film", as sha256sum prints it.
    private let digest = ContentDigest(
        hexadecimal: "d0607f7ad2628b2af9158dfba06ce87166e66b15bf68f8f358f9aa27ccb7c321")

    private func server(_ status: String = "200 OK", _ text: String = "film") throws -> FaultServer {
        try FaultServer { _ in [.head("HTTP/1.1 \(status)", "Content-Length: \(text.utf8.count)"), .text(text)] }
    }

    /// Downloads a file with an expected digest.
    private func download(_ server: FaultServer, _ digest: ContentDigest?) throws -> TransferRecord {
        let engine = try EngineFixture()
        var order = engine.order(server.address)
        order.digest = digest
        return try engine.run(order, try engine.makeFile())
    }

    @Test func aFileWithTheExpectedDigestIsFinished() throws {
        try #require(digest != nil)
        #expect(try download(try server(), digest).finishedLength == 4)
    }

    @Test func aFileWithAnotherDigestFails() throws {
        let record = try download(try server("200 OK", "fill"), digest)
        #expect(record.failure?.kind == .wrongDigest && record.finishedLength == nil)
    }

    @Test func aPageOfAnErrorIsNotCompared() throws {
        let record = try download(try server("404 Not Found", "page"), digest)
        #expect(record.status == 404 && record.finishedLength == 4)
    }

    @Test("a part that the server states to be complete is compared, too")
    func aCompletePartIsCompared() throws {
        let server = try FaultServer { request in
            request.rangeStart == nil
                ? [.head("HTTP/1.1 304 Not Modified", "ETag: \"a\"")]
                : [.head("HTTP/1.1 416 Range Not Satisfiable", "Content-Range: bytes */4", "Content-Length: 0")]
        }
        for (text, isRight) in [("film", true), ("fill", false)] {
            let engine = try EngineFixture()
            var order = engine.order(server.address, held: .sample(4))
            (order.held.total, order.digest) = (4, digest)
            let record = try engine.run(order, try engine.makeFile(Array(text.utf8)))
            #expect((record.finishedLength == 4) == isRight, "\(text): \(record.events)")
            #expect((record.failure?.kind == .wrongDigest) != isRight)
        }
    }

    @Test("a long computation delays no other file")
    func otherFilesAreSynchronisedMeanwhile() throws {
        let directory = try TemporaryDirectory()
        let large = try TestFile(directory.file("large"), []), small = try TestFile(directory.file("small"), [1])
        let length: Int64 = 256 << 20
        #expect(ftruncate(large.descriptor.raw, off_t(length)) == 0)
        let synchronizer = try FileSynchronizer()
        synchronizer.submit(
            .init(
                transfer: 1, descriptor: large.descriptor, generation: 0, length: length, work: .synchronizeAndDigest))
        synchronizer.submit(.init(transfer: 2, descriptor: small.descriptor, generation: 0, length: 1))
        var outcomes: [FileSynchronizer.Outcome] = []
        let deadline = MonotonicTime.now + EngineFixture.patience
        while outcomes.count < 2, try Poll.waitReadable(synchronizer.outcomeEvent.raw, until: deadline) {
            outcomes += synchronizer.removeOutcomes()
        }
        #expect(outcomes.map(\.transfer) == [2, 1] && outcomes.map { $0.digest?.count } == [nil, 32])
    }

    @Test func aFileThatIsShorterHasNoDigest() throws {
        let directory = try TemporaryDirectory()
        let file = try TestFile(directory.file("file"), [1, 2])
        #expect(try FileDigest.sha256(of: file.descriptor, length: 3) { true } == nil)
        #expect(try FileDigest.sha256(of: file.descriptor, length: 2) { false } == nil)
        #expect(try FileDigest.sha256(of: file.descriptor, length: 2) { true }?.count == 32)
    }
}
