import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import HTTPTransfer

/// Tests resumed, cached and cancelled reading of files from a real HTTP server.
@Suite struct HTTPFileTests {
    /// A file on a running HTTP server, and a client that reads it.
    private final class ServerFixture {
        let scratch: TemporaryDirectory
        let bytes: [UInt8]
        let server: LinkServer
        let transfers: HTTPTransfers
        let stopEvent: EventDescriptor

        init(size: Int = 1_000_000, _ settings: String = "{}") throws {
            scratch = try TemporaryDirectory()
            bytes = Array(try Data(contentsOf: URL(fileURLWithPath: Fixtures.path("count30.ts"))).prefix(size))
            try Data(bytes).write(to: URL(fileURLWithPath: scratch.file("film.bin")))
            server = try LinkServer(scratch.path, settings)
            transfers = try HTTPTransfers()
            stopEvent = try EventDescriptor()
        }

        /// Returns a reader of a file on the server.
        func file(
            _ name: String = "film.bin", part: ByteSpan? = nil, cacheLimit: Int = 1 << 30,
            _ configure: (inout HTTPOptions) -> Void = { _ in }
        ) -> HTTPFile {
            var options = HTTPOptions()
            configure(&options)
            return HTTPFile(
                server.address + "/" + name, part: part, options: options, transfers: transfers, cacheLimit: cacheLimit)
        }

        /// Stops the server and returns all its requests. The server logs a request only after it has sent the whole
        /// response.
        func finishedRequests() -> [LinkServer.Request] {
            server.stop()
            return server.requests
        }

        /// An interruption that never ends a wait.
        var noInterruption: TransferInterruption { TransferInterruption(events: [stopEvent]) { false } }

        /// Reads up to `count` bytes from the read position of `file`.
        func read(_ file: HTTPFile, _ count: Int = .max) throws -> [UInt8] {
            var readBytes: [UInt8] = [], chunk = [UInt8](repeating: 0, count: 50_000)
            while readBytes.count < count {
                let limit = min(chunk.count, count - readBytes.count)
                let length = try #require(
                    try chunk.withUnsafeMutableBytes {
                        try file.read(into: .init(rebasing: $0[..<limit]), noInterruption)
                    })
                if length == 0 { break }
                readBytes += chunk[..<length]
            }
            return readBytes
        }
    }

    @Test("a deadline ends the wait before a repeated request, and the next call continues it")
    func deadlineEndsTheWaitForARetry() throws {
        let fixture = try ServerFixture(
            size: 100_000, #"{"rules": [{"path": "film", "status": 503, "retryAfter": 2, "times": 1}]}"#)
        let file = fixture.file()
        var chunk = [UInt8](repeating: 0, count: 1000)
        var interruptedCount = 0, readCount: Int?
        while readCount == nil {
            let deadline = fixture.noInterruption.until(Deadline.after(.milliseconds(50)))
            readCount = try chunk.withUnsafeMutableBytes { try file.read(into: $0, deadline) }
            if readCount == nil { interruptedCount += 1 }
        }
        // A read that ignored its deadline would wait for all of the two seconds.
        #expect(interruptedCount > 5)
        #expect(try chunk.prefix(readCount ?? 0) + fixture.read(file) == fixture.bytes)
        #expect(fixture.finishedRequests().map(\.status) == [503, 206])
    }

    @Test func wholeFileIsReadWithOneRequest() throws {
        let fixture = try ServerFixture(), file = fixture.file()
        #expect(try file.open(fixture.noInterruption) && file.size == Int64(fixture.bytes.count) && file.isSeekable)
        #expect(try fixture.read(file) == fixture.bytes && fixture.finishedRequests().count == 1)
    }

    @Test("each time the connection breaks, the file requests the rest of the resource")
    func brokenConnectionIsResumed() throws {
        let fixture = try ServerFixture(#"{"rules": [{"path": "film", "cut": 90000}]}"#)
        #expect(try fixture.read(fixture.file()) == fixture.bytes)
        let requestedRanges = fixture.finishedRequests().compactMap { $0.range }
        #expect(requestedRanges == (0..<12).map { "bytes=\($0 * 90_000)-" })
    }

    @Test func readingAfterASeekReturnsTheBytesAtTheOffset() throws {
        let fixture = try ServerFixture(), file = fixture.file(cacheLimit: 200_000)
        var random = SeededGenerator.printingSeed()
        for _ in 0..<100 {
            let offset = Int.random(in: 0..<fixture.bytes.count, using: &random)
            file.seek(to: Int64(offset))
            #expect(try fixture.read(file, 3_000) == Array(fixture.bytes[offset...].prefix(3_000)))
        }
    }

    @Test func cachedBytesAreReadWithoutARequest() throws {
        let fixture = try ServerFixture(), file = fixture.file()
        _ = try fixture.read(file)
        file.seek(to: 1_000)
        #expect(try fixture.read(file) == Array(fixture.bytes[1_000...]) && fixture.finishedRequests().count == 1)
    }

    @Test("alternating reads at two distant offsets use two connections, not one request for each read")
    func twoDistantPositionsAreReadWithTwoRequests() throws {
        let fixture = try ServerFixture(size: 7_000_000, #"{"rate": 400}"#), file = fixture.file()
        for readIndex in 0..<20 {
            for start in [0, 4_000_000] {
                let offset = start + readIndex * 100_000
                file.seek(to: Int64(offset))
                #expect(try fixture.read(file, 100_000) == Array(fixture.bytes[offset..<offset + 100_000]))
            }
        }
        #expect(fixture.finishedRequests().count <= 2)
    }

    @Test func partOfAResourceIsReadLikeAFile() throws {
        let fixture = try ServerFixture(), file = fixture.file(part: ByteSpan(start: 1_000, end: 300_000))
        #expect(try fixture.read(file) == Array(fixture.bytes[1_000..<300_000]))
        #expect(file.size == 299_000)
        file.seek(to: 298_990)
        #expect(try fixture.read(file).count == 10)
        #expect(fixture.finishedRequests().map(\.range) == ["bytes=1000-299999"])
    }

    @Test("a request is repeated while the server is busy")
    func requestToABusyServerIsRepeated() throws {
        let fixture = try ServerFixture(#"{"rules": [{"path": "film", "times": 2, "status": 503}]}"#)
        #expect(try fixture.read(fixture.file()) == fixture.bytes)
        #expect(fixture.finishedRequests().map { $0.status } == [503, 503, 206])
    }

    @Test(
        "the error message of a failed request contains the status",
        arguments: [
            (404, "the server responded with status 404 (not found)"), (418, "the server responded with status 418"),
        ])
    func errorMessageContainsTheStatus(status: Int, message: String) throws {
        let fixture = try ServerFixture("{\"rules\": [{\"path\": \"film\", \"status\": \(status)}]}")
        let file = fixture.file()
        let error = #expect(throws: HTTPError.self) { try file.open(fixture.noInterruption) }
        #expect(error?.code == .status(status) && error?.description == message && error?.attempt == 1)
    }

    @Test func brokenTransferFromAServerWithoutRangesIsAnError() throws {
        let fixture = try ServerFixture(#"{"ranges": false, "rules": [{"path": "film", "cut": 90000}]}"#)
        let file = fixture.file()
        let error = #expect(throws: HTTPError.self) { try fixture.read(file) }
        #expect(error?.code == .notResumable && !file.isSeekable)
    }

    @Test("reading fails if the file on the server changes during the transfer")
    func changedFileIsAnError() throws {
        let fixture = try ServerFixture(size: 7_000_000, #"{"rules": [{"path": "film", "times": 1, "cut": 90000}]}"#),
            file = fixture.file()
        _ = try fixture.read(file, 50_000)
        try Data(fixture.bytes.reversed()).write(to: URL(fileURLWithPath: fixture.scratch.file("film.bin")))
        let error = #expect(throws: HTTPError.self) { try fixture.read(file) }
        #expect(error?.code == .notResumable)
    }

    @Test func wrongContentLengthIsAnError() throws {
        let fixture = try ServerFixture(#"{"ranges": false, "rules": [{"path": "film", "length": 500}]}"#)
        let file = fixture.file()
        #expect(throws: HTTPError.self) { try fixture.read(file) }
    }

    @Test("a redirect to a file or to itself is refused", arguments: ["file:///etc/passwd", "/film.bin"])
    func invalidRedirectIsRefused(target: String) throws {
        let fixture = try ServerFixture("{\"rules\": [{\"path\": \"film\", \"redirect\": \"\(target)\"}]}")
        let file = fixture.file()
        let error = #expect(throws: HTTPError.self) { try file.open(fixture.noInterruption) }
        #expect(error?.code == .refusedRedirect)
    }

    @Test func addressIsTheTargetOfTheRedirect() throws {
        let fixture = try ServerFixture(#"{"rules": [{"path": "old", "redirect": "/film.bin?x=1"}]}"#)
        let file = fixture.file("a/old")
        #expect(try fixture.read(file) == fixture.bytes && file.address == fixture.server.address + "/film.bin?x=1")
    }

    @Test func silentServerCausesATimeout() throws {
        let fixture = try ServerFixture(#"{"rules": [{"path": "film", "hang": true}]}"#)
        let file = fixture.file { $0.timeout = 200_000_000 }
        let error = #expect(throws: HTTPError.self) { try file.open(fixture.noInterruption) }
        #expect(error?.code == .timeout && error?.message == "the server sent nothing for 0.2 s")
    }

    @Test func interruptionEndsAWait() throws {
        let fixture = try ServerFixture(#"{"rules": [{"path": "film", "hang": true}]}"#), file = fixture.file()
        let isInterrupted = Monitor(false), stopEvent = fixture.stopEvent
        let thread = try NamedThread("interrupt") {
            isInterrupted.update { $0 = true }
            stopEvent.signal()
        }
        #expect(try !file.open(TransferInterruption(events: [stopEvent]) { isInterrupted.withLock { $0 } }))
        thread.join()
    }

    @Test func optionsAreSentAsHeaderFields() throws {
        let fixture = try ServerFixture()
        let cookiePath = fixture.scratch.file("cookies")
        try Data("# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tname\tvalue\n".utf8)
            .write(to: URL(fileURLWithPath: cookiePath))
        let file = fixture.file {
            $0.fields = ["X-Token: abc", "Accept: video/mp4"]
            ($0.userAgent, $0.referrer, $0.cookieFile) = ("Mine/1", "http://from/", cookiePath)
        }
        _ = try fixture.read(file)
        let fields = try #require(fixture.finishedRequests().first?.fields)
        #expect(fields["x-token"] == "abc" && fields["accept"] == "video/mp4" && fields["user-agent"] == "Mine/1")
        #expect(fields["referer"] == "http://from/" && fields["cookie"] == "name=value")
    }

    @Test("a cookie that a server sets is sent with later requests to it") func receivedCookiesAreSentAgain() throws {
        let fixture = try ServerFixture(
            size: 1_000, #"{"rules": [{"path": "film", "times": 1, "cookie": "ticket=7; Path=/"}]}"#)
        for _ in 0..<2 { _ = try fixture.read(fixture.file()) }
        #expect(fixture.finishedRequests().map { $0.fields["cookie"] } == [nil, "ticket=7"])
    }

    @Test func connectionIsReused() throws {
        let fixture = try ServerFixture(size: 100_000)
        for _ in 0..<5 { _ = try fixture.read(fixture.file()) }
        #expect(Set(fixture.finishedRequests().map(\.connection)) == [1])
    }

    @Test func errorOfARefusedConnectionContainsTheServerName() throws {
        let fixture = try ServerFixture()
        let file = HTTPFile("http://127.0.0.1:1/", options: HTTPOptions(), transfers: fixture.transfers)
        let error = #expect(throws: HTTPError.self) { try file.open(fixture.noInterruption) }
        #expect(error?.code == .unreachable && error?.message == "cannot connect to 127.0.0.1: connection refused")
    }

    @Test(
        "an address without a host, or with another scheme than http and https, is refused",
        arguments: ["http://", "http://[::1", "ftp://a/b"])
    func invalidAddressIsRefused(address: String) throws {
        let fixture = try ServerFixture()
        let file = HTTPFile(address, options: HTTPOptions(), transfers: fixture.transfers)
        let error = #expect(throws: HTTPError.self) { try file.open(fixture.noInterruption) }
        #expect(error?.code == .invalidAddress || error?.code == .refusedRedirect)
    }
}
