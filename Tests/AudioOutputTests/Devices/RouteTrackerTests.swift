import AudioPolicy
import Testing

@testable import AudioOutput

@Suite struct RouteTrackerTests {
    private let speaker = AudioRoute(device: "default", port: .speaker, name: "PCH")
    private let headphones = AudioRoute(device: "default", port: .headphones, name: "PCH")
    private let headset = AudioRoute(device: "default:1", port: .usb, name: "Headset")

    private func builtIn(plugged: Bool = false) -> SoundCard {
        SoundCard(
            control: "hw:0", name: "PCH", bus: .internalBus, isDefault: true,
            jacks: [
                .init("Headphone Jack", isPlugged: plugged), .init("Mic Jack", isPlugged: true),
                .init("HDMI/DP,pcm=3 Jack", isPlugged: false),
            ])
    }
    private let usb = SoundCard(control: "hw:1", name: "Headset", bus: .usb)

    @Test func headphonesArePulledAndPluggedInAgain() {
        var tracker = RouteTracker(cards: [builtIn(plugged: true)])
        #expect(tracker.current == headphones)
        let pulled = tracker.handle(.jack(control: "hw:0", name: "Headphone Jack", isPlugged: false))
        #expect(pulled == RouteChange(.oldDeviceUnavailable, from: headphones, to: speaker))
        #expect(pulled?.losesSound == true)
        #expect(tracker.handle(.jack(control: "hw:0", name: "Headphone Jack", isPlugged: false)) == nil, "told twice")
        let back = tracker.handle(.jack(control: "hw:0", name: "Headphone Jack", isPlugged: true))
        #expect(back == RouteChange(.newDeviceAvailable, from: speaker, to: headphones))
        #expect(back?.losesSound == false)
    }

    @Test func aUSBDeviceTakesOverAndGivesBack() {
        var tracker = RouteTracker(cards: [builtIn()])
        #expect(tracker.handle(.cardAdded(usb)) == RouteChange(.newDeviceAvailable, from: speaker, to: headset))
        #expect(tracker.handle(.cardAdded(usb)) == nil)
        // What is not heard may go and come.
        #expect(tracker.handle(.jack(control: "hw:0", name: "HDMI/DP,pcm=3 Jack", isPlugged: true)) == nil)
        #expect(
            tracker.handle(.cardRemoved(control: "hw:1"))
                == RouteChange(.oldDeviceUnavailable, from: headset, to: speaker))
        #expect(tracker.current == speaker)
    }

    @Test func theLastOneGoes() {
        var tracker = RouteTracker(cards: [
            SoundCard(control: "default", name: "PulseAudio", bus: .server, isDefault: true)
        ])
        let server = tracker.current
        #expect(server?.port == .server)
        #expect(
            tracker.handle(.cardRemoved(control: "default"))
                == RouteChange(.noSuitableRouteForCategory, from: server, to: nil))
        #expect(tracker.current == nil)
        #expect(tracker.handle(.wokeUp) == nil)
        let back = tracker.handle(
            .cardAdded(SoundCard(control: "default", name: "PulseAudio", bus: .server, isDefault: true)))
        #expect(back == RouteChange(.newDeviceAvailable, from: nil, to: server))
    }

    /// S38 (e) of the policy: behind a server no PCM ever fails.
    @Test func behindAServerTheCardsOwnJacksTell() {
        let server = SoundCard(control: "default", name: "PulseAudio", bus: .server, isDefault: true)
        let card = SoundCard(
            control: "hw:0", name: "PCH", bus: .internalBus, jacks: [.init("Front Headphone Jack", isPlugged: false)])
        var tracker = RouteTracker(cards: [server, card])
        #expect(tracker.current?.port == .server)
        #expect(
            tracker.handle(.jack(control: "hw:0", name: "Front Headphone Jack", isPlugged: true))?.current?.port
                == .headphones)
        #expect(
            tracker.handle(.jack(control: "hw:0", name: "Front Headphone Jack", isPlugged: false))?.losesSound == true)
    }

    @Test func behindAServerWhatIsPluggedInAtTheBeginningCounts() {
        let server = SoundCard(control: "default", name: "PulseAudio", bus: .server, isDefault: true)
        let card = SoundCard(
            control: "hw:0", name: "PCH", bus: .internalBus, jacks: [.init("Headphone Jack", isPlugged: true)])
        var tracker = RouteTracker(cards: [server, card])
        #expect(tracker.current?.port == .headphones)
        #expect(tracker.handle(.jack(control: "hw:0", name: "Headphone Jack", isPlugged: false))?.losesSound == true)
        #expect(tracker.current?.port == .server)
    }

    @Test func aServersOwnDevicesAreToldOf() {
        var tracker = RouteTracker(cards: [
            SoundCard(control: "default", name: "PulseAudio", bus: .server, isDefault: true)
        ])
        let server = tracker.current, buds = AudioRoute(device: "default", port: .server, name: "Buds")
        #expect(
            tracker.handle(.movedByServer(isLoss: false, name: "Buds"))
                == RouteChange(.newDeviceAvailable, from: server, to: buds))
        #expect(
            tracker.handle(.movedByServer(isLoss: true, name: nil))
                == RouteChange(.oldDeviceUnavailable, from: buds, to: server))
        // Who says so knows, whatever is seen from here.
        #expect(tracker.handle(.movedByServer(isLoss: true, name: nil))?.losesSound == true)
    }

    @Test func aChoiceAtTheServerIsNoLoss() {
        var tracker = RouteTracker(cards: [
            SoundCard(control: "default", name: "PulseAudio", bus: .server, isDefault: true)
        ])
        let server = tracker.current, buds = AudioRoute(device: "default", port: .server, name: "Buds")
        let change = tracker.handle(.chosenAtServer(name: "Buds"))
        #expect(change == RouteChange(.override, from: server, to: buds))
        #expect(change?.losesSound == false)
    }

    @Test func wakingUpChangesNothingElse() {
        var tracker = RouteTracker(cards: [builtIn()])
        let change = tracker.handle(.wokeUp)
        #expect(change == RouteChange(.wakeFromSleep, from: speaker, to: speaker))
        #expect(change?.losesSound == false)
    }

    @Test(arguments: [
        ("Headphone Jack", AudioRoute.Port.headphones), ("Front Headphone Jack", .headphones),
        ("Headset Jack", .headphones),
        ("Headphone Mic Jack", nil), ("Mic Jack", nil), ("Line Jack", nil), ("Line Out Front Jack", .lineOut),
        ("HDMI/DP,pcm=7 Jack", .hdmi),
        ("Speaker Phantom Jack", nil), ("Headphone Playback Switch", nil),
    ])
    func jacksByTheirNames(name: String, port: AudioRoute.Port?) {
        #expect(SoundCard.Jack(name, isPlugged: true).port == port)
    }

    @Test func aGraphicsCardHasNoSpeaker() {
        let card = SoundCard(
            control: "hw:2", name: "NVidia", bus: .internalBus, jacks: [.init("HDMI/DP,pcm=3 Jack", isPlugged: true)])
        let tracker = RouteTracker(cards: [card])
        #expect(tracker.current == AudioRoute(device: "plughw:2,3", port: .hdmi, name: "NVidia"))
    }
}
