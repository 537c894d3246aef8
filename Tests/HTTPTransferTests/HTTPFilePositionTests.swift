import SystemCalls
import Testing

@testable import HTTPTransfer

/// Tests the positions of files before the first request. The address has no server.
@Suite struct HTTPFilePositionTests {
    private let transfers: HTTPTransfers
    private let event: EventDescriptor

    init() throws {
        transfers = try HTTPTransfers()
        event = try EventDescriptor()
    }

    private func file(part: ByteSpan? = nil) -> HTTPFile {
        HTTPFile("http://127.0.0.1:1/a", part: part, options: HTTPOptions(), transfers: transfers)
    }

    /// Returns the number of bytes that a read returns, without waiting for a server.
    private func readCount(_ file: HTTPFile) throws -> Int? {
        var bytes = [UInt8](repeating: 0, count: 10)
        return try bytes.withUnsafeMutableBytes {
            try file.read(into: $0, TransferInterruption(events: [event]) { true })
        }
    }

    @Test func aFileWithoutAResponseHasNoSizeAndItsOwnAddress() {
        let file = file()
        #expect(file.size == nil && !file.isSeekable && file.address == "http://127.0.0.1:1/a")
        #expect(file.isWhole && file.position == 0 && file.receivedByteCount == 0)
    }

    @Test func positionsOfAPartCountFromItsStart() {
        let file = file(part: ByteSpan(start: 100, end: 200))
        #expect(!file.isWhole && file.position == 0 && file.size == nil)
        file.seek(to: 50)
        #expect(file.position == 50)
        file.seek(to: -5)
        #expect(file.position == 0)
    }

    @Test func aPartEndsWithoutARequest() throws {
        let file = file(part: ByteSpan(start: 100, end: 200))
        file.seek(to: 100)
        #expect(try readCount(file) == 0)
        file.seek(to: 99)
        #expect(try readCount(file) == nil, "the last byte of the part must be requested")
        #expect(try readCount(self.file(part: ByteSpan(start: 5, end: 5))) == 0)
    }

    @Test func theLargestPositionOfAPartDoesNotOverflow() throws {
        let file = file(part: ByteSpan(start: 100, end: 200))
        file.seek(to: .max)
        #expect(try readCount(file) == 0 && file.position > 1 << 60)
    }
}
