import TestSupport
import Testing

@testable import SwiftPlay

/// Tests the logs of items that a real server delivers.
@Suite struct PlayerItemLogsTests {
    /// Returns the error log's events as domain and code.
    private func errorDomainsAndCodes(_ item: PlayerItem) -> [String] {
        (item.errorLog()?.events ?? []).map { "\($0.errorDomain) \($0.errorStatusCode)" }
    }

    @Test("a failed request and the change of the variant after it are logged while playback goes on")
    func streamIsLogged() async throws {
        try await TestEnvironment.runExclusively {
            let server = try LinkServer(
                try Fixtures.path("streams"), #"{"rules": [{"path": "/high3.ts", "status": 404}]}"#)
            let item = PlayerItem(location: server.address + "/stream.m3u8")
            let rig = try PlayerTestRig([item])
            rig.player.actionAtItemEnd = .pause
            rig.player.rate = 4
            try rig.wait(for: "playedToEnd")
            #expect(rig.count("failedToPlayToEnd") == 0)
            rig.player.close()
            server.stop()

            let failure = try #require(item.errorLog()?.events.first)
            #expect(failure.errorDomain == "HTTP" && failure.errorStatusCode == 404)
            #expect(failure.uri == server.address + "/high3.ts" && failure.serverAddress == "127.0.0.1")
            #expect(failure.errorComment.contains("not found"))

            let events = try #require(item.accessLog()?.events)
            let uris = events.map { $0.uri.dropFirst(server.address.count) }
            #expect(uris.suffix(2) == ["/high.m3u8", "/low.m3u8"], "\(uris)")
            #expect(rig.count("accessLogged") == events.count && rig.count("errorLogged") >= 1)
            let last = try #require(events.last)
            #expect(last.switchBitrate > 0 && last.indicatedBitrate == 350_000 && last.playbackStartOffset == 6)
            #expect(abs(last.segmentsDownloadedDuration - 6) < 0.1 && abs(last.durationWatched - 6) < 0.2)
            #expect(last.averageVideoBitrate > 100_000 && last.averageVideoBitrate < 600_000)
            #expect(events.allSatisfy { $0.playbackType == "VOD" && $0.serverAddress == "127.0.0.1" })
            let watched: Double = events.map(\.durationWatched).reduce(0, +)
            #expect(abs(watched - 12) < 0.2)
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

    @Test func fileOnAServerIsLogged() async throws {
        try await TestEnvironment.runExclusively {
            let server = try LinkServer(Fixtures.directory, #"{"rate": 20}"#)
            let item = PlayerItem(location: server.address + "/short.mp4")
            let rig = try PlayerTestRig([item])
            rig.player.actionAtItemEnd = .pause
            rig.player.play()
            try rig.wait(for: "playedToEnd")
            rig.player.close()
            server.stop()
            let events = try #require(item.accessLog()?.events), requests = server.requests
            #expect(events.count == 1 && events[0].playbackType == "FILE" && item.errorLog() == nil)
            #expect(events[0].numberOfMediaRequests == requests.count)
            #expect(events[0].numberOfBytesTransferred == requests.map { Int64($0.sent) }.reduce(0, +))
            #expect(events[0].observedBitrate > 0 && events[0].observedBitrate < 40_000_000)
            #expect(events[0].switchBitrate == -1 && events[0].indicatedBitrate == -1)
        }
    }

    @Test("requests without a response are logged with their reason") func unansweredRequestsAreLogged() async throws {
        try await TestEnvironment.runExclusively {
            let server = try LinkServer(Fixtures.directory, #"{"rules": [{"path": "short", "hang": true}]}"#)
            var http = HTTPConfiguration()
            http.timeout = .milliseconds(300)
            let silent = PlayerItem(asset: Asset(location: server.address + "/short.mp4", http: http))
            let rig = try PlayerTestRig([silent])
            try rig.wait(for: "itemFailed")
            let failure = PlaybackError.Code.input.rawValue
            #expect(errorDomainsAndCodes(silent) == ["NSURLErrorDomain -1001", "SwiftPlay \(failure)"])
            #expect(silent.errorLog()?.events.first?.serverAddress == "127.0.0.1")
            // No server listens at this port.
            let refused = PlayerItem(location: "http://127.0.0.1:1/film.mp4")
            rig.player.replaceCurrentItem(with: refused)
            try rig.wait(for: "itemFailed", times: 2)
            #expect(errorDomainsAndCodes(refused) == ["NSURLErrorDomain -1004", "SwiftPlay \(failure)"])
            #expect(refused.accessLog() == nil)
        }
    }
}
