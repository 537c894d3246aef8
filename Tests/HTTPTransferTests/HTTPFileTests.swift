import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import HTTPTransfer

/// Tests resumed, cached and cancelled reading of files from a real HTTP server.
@Suite struct HTTPFileTests {
    /// A file on a running HTTP server, and a client that reads it.
    private final class Setup {
        let scratch: TemporaryDirectory
        let bytes: [UInt8]
        let server: LinkServer
        let transfers: HTTPTransfers
        let stop: EventDescriptor

        init(size: Int = 1_000_000, _ settings: String = "{}") throws {
            scratch = try TemporaryDirectory()
            bytes = Array(try Data(contentsOf: URL(fileURLWithPath: Fixtures.path("count30.ts"))).prefix(size))
            try Data(bytes).write(to: URL(fileURLWithPath: scratch.file("film.bin")))
            server = try LinkServer(scratch.path, settings)
            transfers = try HTTPTransfers()
            stop = try EventDescriptor()
        }

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
        var noInterruption: TransferInterruption { TransferInterruption(events: [stop]) { false } }

        func read(_ file: HTTPFile, _ count: Int = .max) throws -> [UInt8] {
            var all: [UInt8] = [], chunk = [UInt8](repeating: 0, count: 50_000)
            while all.count < count {
                let limit = min(chunk.count, count - all.count)
                let length = try #require(
                    try chunk.withUnsafeMutableBytes {
                        try file.read(into: .init(rebasing: $0[..<limit]), noInterruption)
                    })
                if length == 0 { break }
                all += chunk[..<length]
            }
            return all
        }
    }

    @Test("a deadline ends the wait before a repeated request, and the next call continues it")
    func deadlineEndsTheWaitForARetry() throws {
        let setup = try Setup(
            size: 100_000, #"{"rules": [{"path": "film", "status": 503, "retryAfter": 2, "times": 1}]}"#)
        let file = setup.file()
        var chunk = [UInt8](repeating: 0, count: 1000)
        var interruptedCount = 0, count: Int?
        while count == nil {
            let deadline = setup.noInterruption.until(Deadline.after(.milliseconds(50)))
            count = try chunk.withUnsafeMutableBytes { try file.read(into: $0, deadline) }
            if count == nil { interruptedCount += 1 }
        }
        // A read that ignored its deadline would wait for all of the two seconds.
        #expect(interruptedCount > 5)
        #expect(try chunk.prefix(count ?? 0) + setup.read(file) == setup.bytes)
        #expect(setup.finishedRequests().map(\.status) == [503, 206])
    }

    @Test func aWholeFileIsReadOverOneConnection() throws {
        let setup = try Setup(), file = setup.file()
        #expect(try file.open(setup.noInterruption) && file.size == Int64(setup.bytes.count) && file.isSeekable)
        #expect(try setup.read(file) == setup.bytes && setup.finishedRequests().count == 1)
    }

    @Test("a connection that is cut again and again is resumed behind the last byte")
    func cutConnectionsAreResumed() throws {
        let setup = try Setup(#"{"rules": [{"path": "film", "cut": 90000}]}"#)
        #expect(try setup.read(setup.file()) == setup.bytes)
        let starts = setup.finishedRequests().compactMap { $0.range }
        #expect(starts == (0..<12).map { "bytes=\($0 * 90_000)-" })
    }

    @Test func aRandomReadReturnsTheBytesAtItsOffset() throws {
        let setup = try Setup(), file = setup.file(cacheLimit: 200_000)
        var random = SeededGenerator.printingSeed()
        for _ in 0..<100 {
            let offset = Int.random(in: 0..<setup.bytes.count, using: &random)
            file.seek(to: Int64(offset))
            #expect(try setup.read(file, 3_000) == Array(setup.bytes[offset...].prefix(3_000)))
        }
    }

    @Test func keptBytesAreReadWithoutARequest() throws {
        let setup = try Setup(), file = setup.file()
        _ = try setup.read(file)
        file.seek(to: 1_000)
        #expect(try setup.read(file) == Array(setup.bytes[1_000...]) && setup.finishedRequests().count == 1)
    }

    @Test("audio and video that are stored apart are read over two connections, not with a request for each change")
    func twoPositionsAreReadOverTwoConnections() throws {
        let setup = try Setup(size: 7_000_000, #"{"rate": 400}"#), file = setup.file()
        for step in 0..<20 {
            for start in [0, 4_000_000] {
                let offset = start + step * 100_000
                file.seek(to: Int64(offset))
                #expect(try setup.read(file, 100_000) == Array(setup.bytes[offset..<offset + 100_000]))
            }
        }
        #expect(setup.finishedRequests().count <= 2)
    }

    @Test func aByteRangeIsReadLikeAFile() throws {
        let setup = try Setup(), file = setup.file(part: ByteSpan(start: 1_000, end: 300_000))
        #expect(try setup.read(file) == Array(setup.bytes[1_000..<300_000]))
        #expect(file.size == 299_000)
        file.seek(to: 298_990)
        #expect(try setup.read(file).count == 10)
        #expect(setup.finishedRequests().map(\.range) == ["bytes=1000-299999"])
    }

    @Test("a busy server is asked again, and the number of requests is part of a lasting error")
    func busyServerIsAskedAgain() throws {
        let setup = try Setup(#"{"rules": [{"path": "film", "times": 2, "status": 503}]}"#)
        #expect(try setup.read(setup.file()) == setup.bytes)
        #expect(setup.finishedRequests().map { $0.status } == [503, 503, 206])
    }

    @Test(
        "a lasting error names the status",
        arguments: [
            (404, "the server responded with status 404 (not found)"), (418, "the server responded with status 418"),
        ])
    func lastingErrorNamesTheStatus(status: Int, message: String) throws {
        let setup = try Setup("{\"rules\": [{\"path\": \"film\", \"status\": \(status)}]}"), file = setup.file()
        let error = #expect(throws: HTTPError.self) { try file.open(setup.noInterruption) }
        #expect(error?.code == .status(status) && error?.description == message && error?.attempt == 1)
    }

    @Test func aServerWithoutRangesCannotResume() throws {
        let setup = try Setup(#"{"ranges": false, "rules": [{"path": "film", "cut": 90000}]}"#), file = setup.file()
        let error = #expect(throws: HTTPError.self) { try setup.read(file) }
        #expect(error?.code == .notResumable && !file.isSeekable)
    }

    @Test("a file that changes on the server is not mixed from both versions")
    func changedFileIsNotMixed() throws {
        let setup = try Setup(size: 7_000_000, #"{"rules": [{"path": "film", "times": 1, "cut": 90000}]}"#),
            file = setup.file()
        _ = try setup.read(file, 50_000)
        try Data(setup.bytes.reversed()).write(to: URL(fileURLWithPath: setup.scratch.file("film.bin")))
        let error = #expect(throws: HTTPError.self) { try setup.read(file) }
        #expect(error?.code == .notResumable)
    }

    @Test func aWrongLengthIsAnError() throws {
        let setup = try Setup(#"{"ranges": false, "rules": [{"path": "film", "length": 500}]}"#), file = setup.file()
        #expect(throws: HTTPError.self) { try setup.read(file) }
    }

    @Test("a redirect to a file or to itself is refused", arguments: ["file:///etc/passwd", "/film.bin"])
    func badRedirectsAreRefused(target: String) throws {
        let setup = try Setup("{\"rules\": [{\"path\": \"film\", \"redirect\": \"\(target)\"}]}"), file = setup.file()
        let error = #expect(throws: HTTPError.self) { try file.open(setup.noInterruption) }
        #expect(error?.code == .refusedRedirect)
    }

    @Test func theAddressAfterARedirectIsKnown() throws {
        let setup = try Setup(#"{"rules": [{"path": "old", "redirect": "/film.bin?x=1"}]}"#), file = setup.file("a/old")
        #expect(try setup.read(file) == setup.bytes && file.address == setup.server.address + "/film.bin?x=1")
    }

    @Test func aSilentServerIsATimeout() throws {
        let setup = try Setup(#"{"rules": [{"path": "film", "hang": true}]}"#)
        let file = setup.file { $0.timeout = 200_000_000 }
        let error = #expect(throws: HTTPError.self) { try file.open(setup.noInterruption) }
        #expect(error?.code == .timeout && error?.message == "the server sent nothing for 0.2 s")
    }

    @Test func anInterruptionEndsAWait() throws {
        let setup = try Setup(#"{"rules": [{"path": "film", "hang": true}]}"#), file = setup.file()
        let flag = Monitor(false), stop = setup.stop
        let thread = try NamedThread("interrupt") {
            flag.update { $0 = true }
            stop.signal()
        }
        #expect(try !file.open(TransferInterruption(events: [stop]) { flag.withLock { $0 } }))
        thread.join()
    }

    @Test func optionsBecomeHeaderFields() throws {
        let setup = try Setup()
        let jar = setup.scratch.file("cookies")
        try Data("# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tname\tvalue\n".utf8)
            .write(to: URL(fileURLWithPath: jar))
        let file = setup.file {
            $0.fields = ["X-Token: abc", "Accept: video/mp4"]
            ($0.userAgent, $0.referrer, $0.cookieFile) = ("Mine/1", "http://from/", jar)
        }
        _ = try setup.read(file)
        let fields = try #require(setup.finishedRequests().first?.fields)
        #expect(fields["x-token"] == "abc" && fields["accept"] == "video/mp4" && fields["user-agent"] == "Mine/1")
        #expect(fields["referer"] == "http://from/" && fields["cookie"] == "name=value")
    }

    @Test("a cookie that a server sets is sent with later requests to it") func cookiesAreKept() throws {
        let setup = try Setup(size: 1_000, #"{"rules": [{"path": "film", "times": 1, "cookie": "ticket=7; Path=/"}]}"#)
        for _ in 0..<2 { _ = try setup.read(setup.file()) }
        #expect(setup.finishedRequests().map { $0.fields["cookie"] } == [nil, "ticket=7"])
    }

    @Test func reusedConnectionsServeFurtherRequests() throws {
        let setup = try Setup(size: 100_000)
        for _ in 0..<5 { _ = try setup.read(setup.file()) }
        #expect(Set(setup.finishedRequests().map(\.connection)) == [1])
    }

    @Test func aRefusedConnectionNamesTheServer() throws {
        let setup = try Setup()
        let file = HTTPFile("http://127.0.0.1:1/", options: HTTPOptions(), transfers: setup.transfers)
        let error = #expect(throws: HTTPError.self) { try file.open(setup.noInterruption) }
        #expect(error?.code == .unreachable && error?.message == "cannot connect to 127.0.0.1: connection refused")
    }

    @Test("an address without a server is invalid", arguments: ["http://", "http://[::1", "ftp://a/b"])
    func badAddressesAreRefused(address: String) throws {
        let setup = try Setup()
        let file = HTTPFile(address, options: HTTPOptions(), transfers: setup.transfers)
        let error = #expect(throws: HTTPError.self) { try file.open(setup.noInterruption) }
        #expect(error?.code == .invalidAddress || error?.code == .refusedRedirect)
    }
}
