import Glibc
import TestSupport
import Testing

@testable import TransferEngine

@Suite struct PartFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func bytesBehindTheContentAreDiscarded() throws {
        let file = try TestFile(directory.file("part"), [1, 2, 3])
        _ = try PartFile(file.descriptor, length: 2)
        #expect(try file.content == [1, 2])
    }

    @Test func appendedBytesFollowTheContent() throws {
        let file = try TestFile(directory.file("part"), [1, 2])
        var part = try PartFile(file.descriptor, length: 2)
        try part.append([3])
        #expect(try file.content == [1, 2, 3])
        #expect(part.length == 3 && part.durableLength == 2)
    }

    @Test func equalBytesMatch() throws {
        let part = try PartFile(try TestFile(directory.file("part"), [1, 2, 3, 4]).descriptor, length: 4)
        func matches(_ bytes: [UInt8], at offset: Int64) throws -> Bool {
            try bytes.withUnsafeBytes { try part.matches($0, at: offset) }
        }
        #expect(try matches([2, 3], at: 1) && matches([], at: 4))
        #expect(try !matches([2, 4], at: 1) && !matches([4, 5], at: 3))
    }

    @Test func theReservationDoesNotChangeTheSize() throws {
        let directory = try TemporaryDirectory()
        let file = try TestFile(directory.file("part"), [1, 2, 3])
        var part = try PartFile(file.descriptor, length: 3)
        try part.reserve(upTo: 1 << 20)
        #expect(try file.content == [1, 2, 3])
        var status = stat()
        fstat(file.descriptor.raw, &status)
        #expect(status.st_blocks >= 2048)
        part.releaseReservation()
        fstat(file.descriptor.raw, &status)
        #expect(status.st_blocks < 2048)
        #expect(try file.content == [1, 2, 3])
    }

    @Test func aSynchronisationBeforeATruncationDoesNotCount() throws {
        let directory = try TemporaryDirectory()
        let file = try TestFile(directory.file("part"), [1, 2, 3])
        var part = try PartFile(file.descriptor, length: 0)
        try part.append([1, 2, 3, 4])
        let generation = part.generation
        try part.truncate(to: 0)
        try part.append([5, 6])
        part.recordSynchronization(upTo: 4, generation: generation)
        #expect(part.durableLength == 0)
        part.recordSynchronization(upTo: 2, generation: part.generation)
        #expect(part.durableLength == 2)
    }
}

extension PartFile {
    /// Appends the bytes of an array.
    fileprivate mutating func append(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try append($0) } }
}
