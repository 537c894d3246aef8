import Testing

@testable import SwiftPlay

@Suite("HeardMoments: positions before the loss of a device")
struct HeardMomentsTests {
    private let second: Int64 = 1_000_000_000

    private func moments(heard media: Int64, at host: Int64) -> HeardMoments {
        var moments = HeardMoments()
        moments.note(.init(feed: 7, media: media, host: host))
        return moments
    }

    @Test("playback continues at the extrapolated time, at most one minute after the last reading")
    func extrapolatesAtMostOneMinute() {
        let moments = moments(heard: 10 * second, at: 100 * second)
        #expect(moments.media(of: 7, at: 101 * second, isPlaying: true, speed: 2) == 12 * second)
        #expect(moments.media(of: 7, at: 101 * second, isPlaying: false, speed: 2) == 10 * second)
        #expect(moments.media(of: 7, at: 900 * second, isPlaying: true, speed: 1) == 70 * second)
        #expect(moments.media(of: 8, at: 101 * second, isPlaying: true, speed: 1) == nil)
        #expect(HeardMoments().media(of: 7, at: 0, isPlaying: true, speed: 1) == nil)
    }

    @Test("while a device is lost or stalled, the last audible time of its feed is known")
    func knowsLastAudibleTimeDuringLoss() {
        var moments = moments(heard: 10, at: 0)
        #expect(moments.until(7, isFaltering: false) == nil)
        #expect(moments.until(7, isFaltering: true) == 10 && moments.until(8, isFaltering: true) == nil)
        moments.deviceLost()
        // The null device that replaces it advances, and may be lost too.
        moments.note(.init(feed: 7, media: 20, host: 1))
        moments.deviceLost()
        #expect(moments.until(7, isFaltering: false) == 10)
        moments.deviceReturned()
        #expect(moments.until(7, isFaltering: false) == nil && moments.until(7, isFaltering: true) == 20)
        moments.clear()
        #expect(moments == HeardMoments())
    }
}
