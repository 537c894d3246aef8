import Testing

@testable import SwiftPlay

@Suite struct PlaybackLogTests {
    @Test func eachAccessLogEventCountsItsOwnBytes() {
        var log = PlaybackLog()
        log.itemOpened(at: 0)
        _ = log.started(uri: "clip", offset: 0, dropped: 0, at: 1)
        log.closePeriod(bytes: 1000, dropped: 0, at: 2)
        // A seek during a pause starts no access log event. The next event counts the bytes that the seek reads.
        log.closePeriod(bytes: 1200, dropped: 0, at: 3)
        _ = log.started(uri: "clip", offset: 0, dropped: 0, at: 4)
        #expect(log.snapshot(bytes: 1300, at: 5).map(\.numberOfBytesTransferred) == [1000, 300])
        log.closePeriod(bytes: 1500, dropped: 0, at: 6)
        #expect(log.access.map(\.numberOfBytesTransferred) == [1000, 500])
    }

    @Test func reopeningAnItemRestartsTheByteCount() {
        var log = PlaybackLog()
        log.itemOpened(at: 0)
        _ = log.started(uri: "clip", offset: 0, dropped: 0, at: 1_000_000_000)
        // A second player opens the item while the first player is still closing it.
        log.itemOpened(at: 3_000_000_000)
        #expect(log.access.map(\.durationWatched) == [2])
        _ = log.started(uri: "clip", offset: 0, dropped: 0, at: 4_000_000_000)
        log.closePeriod(bytes: 700, dropped: 0, at: 5_000_000_000)
        #expect(log.access.map(\.numberOfBytesTransferred) == [-1, 700])
        #expect(log.access.map(\.durationWatched) == [2, 1])
    }
}
