import TestSupport
import Testing

@testable import SwiftPlay

/// Tests the logs of items that a real server delivers.
@Suite struct PlayerItemLogsTests {
    /// Returns the error log's events as domain and code.
    private func errorDomainsAndCodes(_ item: PlayerItem) -> [String] {
        (item.errorLog()?.events ?? []).map { "\($0.errorDomain) \($0.errorStatusCode)" }
    }

    @Test("a failed request and the change of the variant after it are logged while playback continues")
    func logsContainAFailedRequestAndTheVariantChange() async throws {
        try await TestEnvironment.runExclusively {
            let server = try LinkServer(
                try Fixtures.path("streams"), #"{"rules": [{"path": "/high3.ts", "status": 404}]}"#)
            let item = PlayerItem(location: server.address + "/stream.m3u8")
            let fixture = try PlayerFixture([item])
            fixture.player.actionAtItemEnd = .pause
            fixture.player.rate = 4
            try fixture.wait(for: "playedToEnd")
            #expect(fixture.count("failedToPlayToEnd") == 0)
            fixture.player.close()
            server.stop()

            let failure = try #require(item.errorLog()?.events.first)
            #expect(failure.errorDomain == "HTTP" && failure.errorStatusCode == 404)
            #expect(failure.uri == server.address + "/high3.ts" && failure.serverAddress == "127.0.0.1")
            #expect(failure.errorComment.contains("not found"))

            let events = try #require(item.accessLog()?.events)
            let uris = events.map { $0.uri.dropFirst(server.address.count) }
            #expect(uris.suffix(2) == ["/high.m3u8", "/low.m3u8"], "\(uris)")
            #expect(fixture.count("accessLogged") == events.count && fixture.count("errorLogged") >= 1)
            let lastEvent = try #require(events.last)
            #expect(lastEvent.switchBitrate > 0 && lastEvent.indicatedBitrate == 350_000)
            #expect(lastEvent.playbackStartOffset == 6)
            #expect(abs(lastEvent.segmentsDownloadedDuration - 6) < 0.1 && abs(lastEvent.durationWatched - 6) < 0.2)
            #expect(lastEvent.averageVideoBitrate > 100_000 && lastEvent.averageVideoBitrate < 600_000)
            #expect(events.allSatisfy { $0.playbackType == "VOD" && $0.serverAddress == "127.0.0.1" })
            let watchedDuration: Double = events.map(\.durationWatched).reduce(0, +)
            #expect(abs(watchedDuration - 12) < 0.2, "\(events.map { ($0.playbackStartOffset, $0.durationWatched) })")
            // The access log agrees with the requests that the server has recorded.
            let requests = server.requests
            let mediaRequests: Int = events.map(\.numberOfMediaRequests).reduce(0, +)
            #expect(mediaRequests == requests.count { $0.path.hasSuffix(".ts") })
            let receivedBytes: Int64 = events.map(\.numberOfBytesTransferred).reduce(0, +)
            let sentBytes: Int64 = requests.map { Int64($0.sent) }.reduce(0, +)
            #expect(receivedBytes == sentBytes)
            #expect(events.allSatisfy { $0.observedBitrate > 0 && $0.transferDuration > 0 })
            #expect(events.allSatisfy { $0.observedMinBitrate <= $0.observedMaxBitrate })
        }
    }

    @Test func accessLogContainsAFileOnAServer() async throws {
        try await TestEnvironment.runExclusively {
            let server = try LinkServer(Fixtures.directory, #"{"rate": 20}"#)
            let item = PlayerItem(location: server.address + "/short.mp4")
            let fixture = try PlayerFixture([item])
            fixture.player.actionAtItemEnd = .pause
            fixture.player.play()
            try fixture.wait(for: "playedToEnd")
            fixture.player.close()
            server.stop()
            let events = try #require(item.accessLog()?.events), requests = server.requests
            #expect(events.count == 1 && events[0].playbackType == "FILE" && item.errorLog() == nil)
            #expect(events[0].numberOfMediaRequests == requests.count)
            #expect(events[0].numberOfBytesTransferred == requests.map { Int64($0.sent) }.reduce(0, +))
            #expect(events[0].observedBitrate > 0 && events[0].observedBitrate < 40_000_000)
            #expect(events[0].switchBitrate == -1 && events[0].indicatedBitrate == -1)
        }
    }

    @Test("requests without a response are logged with their reason")
    func errorLogContainsUnansweredRequests() async throws {
        try await TestEnvironment.runExclusively {
            let server = try LinkServer(Fixtures.directory, #"{"rules": [{"path": "short", "hang": true}]}"#)
            var httpConfiguration = HTTPConfiguration()
            httpConfiguration.timeout = .milliseconds(300)
            let unansweredItem = PlayerItem(
                asset: Asset(location: server.address + "/short.mp4", http: httpConfiguration))
            let fixture = try PlayerFixture([unansweredItem])
            try fixture.wait(for: "itemFailed")
            let inputErrorCode = PlaybackError.Code.input.rawValue
            #expect(errorDomainsAndCodes(unansweredItem) == ["NSURLErrorDomain -1001", "SwiftPlay \(inputErrorCode)"])
            #expect(unansweredItem.errorLog()?.events.first?.serverAddress == "127.0.0.1")
            // No server listens at this port.
            let refusedItem = PlayerItem(location: "http://127.0.0.1:1/film.mp4")
            fixture.player.replaceCurrentItem(with: refusedItem)
            try fixture.wait(for: "itemFailed", times: 2)
            #expect(errorDomainsAndCodes(refusedItem) == ["NSURLErrorDomain -1004", "SwiftPlay \(inputErrorCode)"])
            #expect(refusedItem.accessLog() == nil)
        }
    }
}
