import Testing

@testable import SwiftPlay

@Suite("PlayedPositions: positions before the loss of a device")
struct PlayedPositionsTests {
    private let second: Int64 = 1_000_000_000

    /// Returns positions with one record: at the host time `host`, the item audio with the number 7 played the media
    /// time `media`.
    private func positions(played media: Int64, at host: Int64) -> PlayedPositions {
        var positions = PlayedPositions()
        positions.record(.init(audioNumber: 7, mediaTime: media, hostTime: host))
        return positions
    }

    @Test("playback continues at the extrapolated time, at most one minute after the last reading")
    func playedPositionIsExtrapolatedByAtMostOneMinute() {
        let positions = positions(played: 10 * second, at: 100 * second)
        #expect(positions.mediaTime(of: 7, at: 101 * second, isPlaying: true, speed: 2) == 12 * second)
        #expect(positions.mediaTime(of: 7, at: 101 * second, isPlaying: false, speed: 2) == 10 * second)
        #expect(positions.mediaTime(of: 7, at: 900 * second, isPlaying: true, speed: 1) == 70 * second)
        #expect(positions.mediaTime(of: 8, at: 101 * second, isPlaying: true, speed: 1) == nil)
        #expect(PlayedPositions().mediaTime(of: 7, at: 0, isPlaying: true, speed: 1) == nil)
    }

    @Test("while a device is lost or stalled, the last audible time of its audio is known")
    func lastAudibleTimeIsKnownWhileTheDeviceIsLost() {
        var positions = positions(played: 10, at: 0)
        #expect(positions.lastAudibleTime(7, isStalled: false) == nil)
        #expect(
            positions.lastAudibleTime(7, isStalled: true) == 10 && positions.lastAudibleTime(8, isStalled: true) == nil)
        positions.recordDeviceLoss()
        // The null device that replaces the lost device also reports positions, and may also be lost.
        positions.record(.init(audioNumber: 7, mediaTime: 20, hostTime: 1))
        positions.recordDeviceLoss()
        #expect(positions.lastAudibleTime(7, isStalled: false) == 10)
        positions.recordDeviceReturn()
        #expect(
            positions.lastAudibleTime(7, isStalled: false) == nil && positions.lastAudibleTime(7, isStalled: true) == 20
        )
        positions.clear()
        #expect(positions == PlayedPositions())
    }
}
