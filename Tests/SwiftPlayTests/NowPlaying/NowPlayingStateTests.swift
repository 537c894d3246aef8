import DesktopBus
import Testing

@testable import SwiftPlay

@Suite struct NowPlayingStateTests {
    /// The Now Playing state while an item plays.
    private var playingState: NowPlayingState {
        var state = NowPlayingState()
        state.track = .init(number: 3, title: "T", artist: "A", album: nil, length: 5_000_000, address: "file:///t.mp4")
        state.isPlaying = true
        return state
    }

    @Test func mprisPlaybackStatusFollowsTheTrackAndTheRate() {
        func status(_ change: (inout NowPlayingState) -> Void) -> BusValue? {
            var state = playingState
            change(&state)
            return state.properties["PlaybackStatus"]
        }
        #expect(status { _ in } == .string("Playing"))
        #expect(status { $0.isPlaying = false } == .string("Paused"))
        #expect(status { ($0.isPlaying, $0.isStopped) = (false, true) } == .string("Stopped"))
        #expect(status { $0.isStopped = true } == .string("Playing"))
        #expect(status { $0.track = nil } == .string("Stopped"))
    }

    @Test func unknownMetadataIsOmitted() {
        #expect(
            playingState.properties["Metadata"]
                == .dictionary([
                    "mpris:trackid": .objectPath("/org/swiftplay/track/3"), "xesam:title": .string("T"),
                    "xesam:artist": .strings(["A"]),
                    "mpris:length": .int64(5_000_000), "xesam:url": .string("file:///t.mp4"),
                ]))
        #expect(
            NowPlayingState().properties["Metadata"]
                == .dictionary(["mpris:trackid": .objectPath(NowPlayingState.noTrack)]))
        #expect(NowPlayingState().properties["CanPlay"] == .bool(false))
    }

    @Test(arguments: [NowPlayingSession.RepeatType.off, .one, .all])
    func eachRepeatTypeMapsToItsNameAndBack(_ type: NowPlayingSession.RepeatType) {
        #expect(NowPlayingState.repeatType(named: NowPlayingState.name(of: type)) == type)
    }

    @Test func unknownMPRISLoopStatusHasNoRepeatType() {
        #expect(NowPlayingState.repeatType(named: "Sometimes") == nil && NowPlayingState.repeatType(named: nil) == nil)
    }

    @Test(arguments: [
        ("/films/a film.mp4", "file:///films/a%20film.mp4"), ("https://example.org/a?b", "https://example.org/a?b"),
        ("file:/films/lat%E4.mp4", "file:///films/lat%E4.mp4"),
    ])
    func fileLocationsMapToURLsAndBack(location: String, address: String) {
        #expect(NowPlayingState.address(of: location) == address)
        #expect(NowPlayingState.location(of: address) == location)
    }

    @Test func standardInputHasNoURL() { #expect(NowPlayingState.address(of: "-") == nil) }

    @Test(arguments: [
        "", "-", "/etc/passwd", "concat:/a|/b", "ftp://example.org/a", "file://example.org/a", "file:", "file:relative",
        "data:,x",
    ])
    func unsupportedURLsAreRefused(_ address: String) { #expect(NowPlayingState.location(of: address) == nil) }

    @Test func extremeMPRISTimesAreClamped() {
        #expect(NowPlayingState.time(1_500_000).nanoseconds == 1_500_000_000)
        #expect(NowPlayingState.time(.max).nanoseconds == 8_000_000_000_000_000_000)
        #expect(NowPlayingState.time(.min).nanoseconds == -8_000_000_000_000_000_000)
    }
}
