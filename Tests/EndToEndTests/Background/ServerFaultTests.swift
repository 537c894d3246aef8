import Foundation
import SystemCalls
import TestSupport
import Testing

/// Servers that are busy or deviate from HTTP, with the real processes.
@Suite struct ServerFaultTests {
    private let fixture: BackgroundFixture

    init() throws { fixture = try BackgroundFixture() }

    @Test("a busy host receives one request in each period that it has asked for, whatever the number of transfers is")
    func aBusyHostIsProbedByOneTransfer() throws {
        let isBusy = Monitor(true)
        let server = try FaultServer { _ in
            isBusy.withLock { $0 }
                ? [.head("HTTP/1.1 503 Busy", "Retry-After: 1", "Content-Length: 0")]
                : [.head("HTTP/1.1 200 OK", "Content-Length: 4"), .text("film")]
        }
        let start = MonotonicTime.now
        let probe = try fixture.probe((0..<20).map { "\(server.address)/\($0)" })
        let wasProbed = Deadline.poll(for: .seconds(30)) { server.requests.count >= 8 ? true : nil }
        #expect(wasProbed == true)
        let (count, seconds) = (server.requests.count, (MonotonicTime.now - start) / MonotonicTime.nanosecondsPerSecond)
        #expect(count <= 4 + Int(seconds) + 1, "four requests at once, then one a second")
        isBusy.withLock { $0 = false }
        #expect(try probe.waitForExit(within: .seconds(60)).isSuccess)
        for number in 1...20 {
            #expect(fixture.log.contains("completed \(number) 0 200"))
            #expect(fixture.content("\(number)") == Array("film".utf8))
        }
    }

    @Test("a date to retry is compared with the clock of the server, which may be wrong")
    func aDateToRetryIsWaitedFor() throws {
        let times = Monitor<[Int64]>([])
        let server = try FaultServer { request in
            times.withLock { $0.append(MonotonicTime.now) }
            return request.number > 1
                ? [.head("HTTP/1.1 200 OK", "Content-Length: 4"), .text("film")]
                : [
                    .head(
                        "HTTP/1.1 429 Slow down", "Retry-After: Sun, 06 Nov 1994 08:49:39 GMT",
                        "Date: Sun, 06 Nov 1994 08:49:37 GMT", "Content-Length: 0")
                ]
        }
        #expect(try fixture.download([server.address + "/film"]).waitForExit(within: .seconds(30)).isSuccess)
        let delays = times.withLock { zip($0.dropFirst(), $0).map { $0 - $1 } }
        #expect(delays.count == 1 && delays[0] >= 2 * MonotonicTime.nanosecondsPerSecond)
    }

    @Test("a host that ignores If-Range is known to the next transfer, which asks without it")
    func aQuirkOfAHostIsRemembered() throws {
        let content = [UInt8](repeating: 7, count: 200_000)
        let server = try FaultServer { request in
            guard let start = request.rangeStart, request.fields["if-range"] == nil else {
                let head = FaultServer.Step.head("HTTP/1.1 200 OK", "Content-Length: 200000", "ETag: \"a\"")
                if request.rangeStart != nil { return [head, .bytes(content)] }
                return [head, .bytes(Array(content.prefix(100_000))), .hold]
            }
            let lines = ["Content-Length: \(200_000 - start)", "Content-Range: bytes \(start)-199999/200000"]
            return [
                .head("HTTP/1.1 206 Partial Content", lines[0], lines[1], "ETag: \"a\""),
                .bytes(Array(content[start...])),
            ]
        }
        for name in ["first", "second"] {
            let command = try fixture.download(["\(server.address)/\(name)"])
            try fixture.waitForStoredPart(bytes: 100_000)
            try fixture.kill("swiftplay-transfer")
            #expect(try command.waitForExit(within: .seconds(30)).isSuccess)
            #expect(fixture.content(name) == content)
        }
        let conditions = ["/first", "/second"].map { path in
            server.requests.filter { $0.path == path && $0.rangeStart != nil }.map { $0.fields["if-range"] }
        }
        #expect(conditions == [["\"a\"", nil], [nil]])
    }

    @Test func aTransferThatCannotBeContinuedIsMarked() throws {
        let server = try FaultServer { _ in
            [
                .head("HTTP/1.1 200 OK", "Content-Length: 4", "Accept-Ranges: none"), .text("fi"), .awaitRelease,
                .text("lm"),
            ]
        }
        _ = try fixture.download([server.address + "/film"], ["--no-wait"]).waitForExit()
        try fixture.waitForListing("(cannot be continued)")
        server.release()
        #expect(try !fixture.waitForListing("done").contains("cannot be continued"))
    }

    @Test(arguments: [
        ("/film", "failed: the server redirects in a loop"),
        ("ftp://127.0.0.1/film", "failed: the server redirects to an address that is not http or https"),
    ])
    func aRefusedRedirectIsNamed(_ location: String, _ text: String) throws {
        let server = try FaultServer { _ in
            [.head("HTTP/1.1 302 Found", "Location: \(location)", "Content-Length: 0")]
        }
        let command = try fixture.download([server.address + "/film"])
        #expect(try command.waitForExit(within: .seconds(20)).reason == .exited(3))
        #expect(try fixture.listing().contains(text))
    }
}
