import DesktopBus
import Testing

@testable import SwiftPlay

@Suite struct NowPlayingFactsTests {
    private var playing: NowPlayingFacts {
        var facts = NowPlayingFacts()
        facts.track = .init(number: 3, title: "T", artist: "A", album: nil, length: 5_000_000, address: "file:///t.mp4")
        facts.isPlaying = true
        return facts
    }

    @Test func theStatusFollowsFromTrackAndRate() {
        func status(_ change: (inout NowPlayingFacts) -> Void) -> BusValue? {
            var facts = playing
            change(&facts)
            return facts.properties["PlaybackStatus"]
        }
        #expect(status { _ in } == .string("Playing"))
        #expect(status { $0.isPlaying = false } == .string("Paused"))
        #expect(status { ($0.isPlaying, $0.isStopped) = (false, true) } == .string("Stopped"))
        #expect(status { $0.isStopped = true } == .string("Playing"))
        #expect(status { $0.track = nil } == .string("Stopped"))
    }

    @Test func whatIsNotKnownIsLeftOut() {
        #expect(
            playing.properties["Metadata"]
                == .dictionary([
                    "mpris:trackid": .objectPath("/org/swiftplay/track/3"), "xesam:title": .string("T"),
                    "xesam:artist": .strings(["A"]),
                    "mpris:length": .int64(5_000_000), "xesam:url": .string("file:///t.mp4"),
                ]))
        #expect(
            NowPlayingFacts().properties["Metadata"]
                == .dictionary(["mpris:trackid": .objectPath(NowPlayingFacts.noTrack)]))
        #expect(NowPlayingFacts().properties["CanPlay"] == .bool(false))
    }

    @Test(arguments: [NowPlayingSession.RepeatType.off, .one, .all])
    func theNamesOfRepeatingGoBothWays(_ type: NowPlayingSession.RepeatType) {
        #expect(NowPlayingFacts.repeatType(named: NowPlayingFacts.name(of: type)) == type)
    }

    @Test func anotherNameIsNone() {
        #expect(NowPlayingFacts.repeatType(named: "Sometimes") == nil && NowPlayingFacts.repeatType(named: nil) == nil)
    }

    @Test(arguments: [
        ("/films/a film.mp4", "file:///films/a%20film.mp4"), ("https://example.org/a?b", "https://example.org/a?b"),
    ])
    func placesHaveAddressesAndBack(location: String, address: String) {
        #expect(NowPlayingFacts.address(of: location) == address)
        #expect(NowPlayingFacts.location(of: address) == location)
    }

    @Test func standardInputHasNoAddress() { #expect(NowPlayingFacts.address(of: "-") == nil) }

    @Test(arguments: [
        "", "-", "/etc/passwd", "concat:/a|/b", "ftp://example.org/a", "file://example.org/a", "file:", "file:relative",
        "data:,x",
    ])
    func whatIsNoAddressForUsIsNotOpened(_ address: String) { #expect(NowPlayingFacts.location(of: address) == nil) }

    @Test func timesBeyondAllBoundsAreBounded() {
        #expect(NowPlayingFacts.time(1_500_000).nanoseconds == 1_500_000_000)
        #expect(NowPlayingFacts.time(.max).nanoseconds == 8_000_000_000_000_000_000)
        #expect(NowPlayingFacts.time(.min).nanoseconds == -8_000_000_000_000_000_000)
    }
}
