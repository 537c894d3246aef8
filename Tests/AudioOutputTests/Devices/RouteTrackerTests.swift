import AudioPolicy
import TestSupport
import Testing

@testable import AudioOutput

@Suite struct RouteTrackerTests {
    private let speaker = AudioRoute(device: "default", port: .speaker, name: "PCH")
    private let headphones = AudioRoute(device: "default", port: .headphones, name: "PCH")
    private let headset = AudioRoute(device: "default:1", port: .usb, name: "Headset")

    /// Returns the built-in sound card. `hasHeadphones`: whether headphones are plugged in.
    private func builtInCard(hasHeadphones: Bool = false) -> AudioCardInfo {
        AudioCardInfo(
            control: "hw:0", name: "PCH", bus: .internalBus, isDefault: true,
            jacks: [
                .init("Headphone Jack", isPlugged: hasHeadphones), .init("Mic Jack", isPlugged: true),
                .init("HDMI/DP,pcm=3 Jack", isPlugged: false),
            ])
    }
    private let usbCard = AudioCardInfo(control: "hw:1", name: "Headset", bus: .usb)

    @Test func pluggingInHeadphonesChangesTheRoute() {
        var tracker = RouteTracker(cards: [builtInCard(hasHeadphones: true)])
        #expect(tracker.currentRoute == headphones)
        let removal = tracker.handle(.jack(control: "hw:0", name: "Headphone Jack", isPlugged: false))
        #expect(removal == RouteChange(.oldDeviceUnavailable, from: headphones, to: speaker))
        #expect(removal?.losesOutput == true)
        #expect(tracker.handle(.jack(control: "hw:0", name: "Headphone Jack", isPlugged: false)) == nil, "repeated")
        let insertion = tracker.handle(.jack(control: "hw:0", name: "Headphone Jack", isPlugged: true))
        #expect(insertion == RouteChange(.newDeviceAvailable, from: speaker, to: headphones))
        #expect(insertion?.losesOutput == false)
    }

    @Test func usbDeviceIsTheRouteUntilRemoved() {
        var tracker = RouteTracker(cards: [builtInCard()])
        #expect(tracker.handle(.cardAdded(usbCard)) == RouteChange(.newDeviceAvailable, from: speaker, to: headset))
        #expect(tracker.handle(.cardAdded(usbCard)) == nil)
        // A jack that is not part of the route does not change the route.
        #expect(tracker.handle(.jack(control: "hw:0", name: "HDMI/DP,pcm=3 Jack", isPlugged: true)) == nil)
        #expect(
            tracker.handle(.cardRemoved(control: "hw:1"))
                == RouteChange(.oldDeviceUnavailable, from: headset, to: speaker))
        #expect(tracker.currentRoute == speaker)
    }

    @Test func removingTheLastDeviceLeavesNoRoute() {
        var tracker = RouteTracker(cards: [
            AudioCardInfo(control: "default", name: "PulseAudio", bus: .server, isDefault: true)
        ])
        let server = tracker.currentRoute
        #expect(server?.port == .soundServer)
        #expect(
            tracker.handle(.cardRemoved(control: "default"))
                == RouteChange(.noSuitableRouteForCategory, from: server, to: nil))
        #expect(tracker.currentRoute == nil)
        #expect(tracker.handle(.wokeUp) == nil)
        let reconnection = tracker.handle(
            .cardAdded(AudioCardInfo(control: "default", name: "PulseAudio", bus: .server, isDefault: true)))
        #expect(reconnection == RouteChange(.newDeviceAvailable, from: nil, to: server))
    }

    /// With a sound server, playback does not fail when headphones are unplugged; only the jacks of the sound cards
    /// report the change.
    @Test func cardJacksChangeTheRouteOfASoundServer() {
        let server = AudioCardInfo(control: "default", name: "PulseAudio", bus: .server, isDefault: true)
        let card = AudioCardInfo(
            control: "hw:0", name: "PCH", bus: .internalBus, jacks: [.init("Front Headphone Jack", isPlugged: false)])
        var tracker = RouteTracker(cards: [server, card])
        #expect(tracker.currentRoute?.port == .soundServer)
        #expect(
            tracker.handle(.jack(control: "hw:0", name: "Front Headphone Jack", isPlugged: true))?.current?.port
                == .headphones)
        #expect(
            tracker.handle(.jack(control: "hw:0", name: "Front Headphone Jack", isPlugged: false))?.losesOutput == true)
    }

    @Test func headphonesPluggedInAtTheStartAreTheRouteOfASoundServer() {
        let server = AudioCardInfo(control: "default", name: "PulseAudio", bus: .server, isDefault: true)
        let card = AudioCardInfo(
            control: "hw:0", name: "PCH", bus: .internalBus, jacks: [.init("Headphone Jack", isPlugged: true)])
        var tracker = RouteTracker(cards: [server, card])
        #expect(tracker.currentRoute?.port == .headphones)
        #expect(tracker.handle(.jack(control: "hw:0", name: "Headphone Jack", isPlugged: false))?.losesOutput == true)
        #expect(tracker.currentRoute?.port == .soundServer)
    }

    @Test func deviceReportsOfASoundServerChangeTheRoute() {
        var tracker = RouteTracker(cards: [
            AudioCardInfo(control: "default", name: "PulseAudio", bus: .server, isDefault: true)
        ])
        let server = tracker.currentRoute, earbuds = AudioRoute(device: "default", port: .soundServer, name: "Buds")
        #expect(
            tracker.handle(.movedByServer(isLoss: false, name: "Buds"))
                == RouteChange(.newDeviceAvailable, from: server, to: earbuds))
        #expect(
            tracker.handle(.movedByServer(isLoss: true, name: nil))
                == RouteChange(.oldDeviceUnavailable, from: earbuds, to: server))
        // If the sound server reports a removed device, the output counts as lost, even if the route stays the same.
        #expect(tracker.handle(.movedByServer(isLoss: true, name: nil))?.losesOutput == true)
    }

    @Test func choosingADeviceInTheSoundServerIsNoLossOfTheOutput() {
        var tracker = RouteTracker(cards: [
            AudioCardInfo(control: "default", name: "PulseAudio", bus: .server, isDefault: true)
        ])
        let server = tracker.currentRoute, earbuds = AudioRoute(device: "default", port: .soundServer, name: "Buds")
        let change = tracker.handle(.chosenAtServer(name: "Buds"))
        #expect(change == RouteChange(.override, from: server, to: earbuds))
        #expect(change?.losesOutput == false)
    }

    @Test func wakingFromSleepKeepsTheRoute() {
        var tracker = RouteTracker(cards: [builtInCard()])
        let change = tracker.handle(.wokeUp)
        #expect(change == RouteChange(.wakeFromSleep, from: speaker, to: speaker))
        #expect(change?.losesOutput == false)
    }

    @Test(arguments: [
        ("Headphone Jack", AudioRoute.Port.headphones), ("Front Headphone Jack", .headphones),
        ("Headset Jack", .headphones),
        ("Headphone Mic Jack", nil), ("Mic Jack", nil), ("Line Jack", nil), ("Line Out Front Jack", .lineOut),
        ("HDMI/DP,pcm=7 Jack", .hdmi),
        ("Speaker Phantom Jack", nil), ("Headphone Playback Switch", nil),
    ])
    func nameOfAJackDeterminesThePort(name: String, port: AudioRoute.Port?) {
        #expect(AudioCardInfo.Jack(name, isPlugged: true).port == port)
    }

    @Test func graphicsCardHasNoSpeaker() {
        let card = AudioCardInfo(
            control: "hw:2", name: "NVidia", bus: .internalBus, jacks: [.init("HDMI/DP,pcm=3 Jack", isPlugged: true)])
        let tracker = RouteTracker(cards: [card])
        #expect(tracker.currentRoute == AudioRoute(device: "plughw:2,3", port: .hdmi, name: "NVidia"))
    }

    @Test("an HDMI device becomes the route only if it is the only output")
    func hdmiIsTheRouteOnlyWithoutAnotherOutput() {
        let graphicsCard = AudioCardInfo(
            control: "hw:2", name: "NVidia", bus: .internalBus, jacks: [.init("HDMI/DP,pcm=3 Jack", isPlugged: false)])
        var tracker = RouteTracker(cards: [builtInCard(), graphicsCard])
        let plug = RouteTracker.Event.jack(control: "hw:2", name: "HDMI/DP,pcm=3 Jack", isPlugged: true)
        #expect(tracker.handle(plug) == nil && tracker.currentRoute == speaker)
        let hdmi = AudioRoute(device: "plughw:2,3", port: .hdmi, name: "NVidia")
        #expect(
            tracker.handle(.cardRemoved(control: builtInCard().control))
                == RouteChange(.oldDeviceUnavailable, from: speaker, to: hdmi))
        #expect(tracker.handle(.cardAdded(builtInCard()))?.current == speaker)
    }

    @Test("events of unknown cards, and repeated events, have no effect")
    func unknownAndRepeatedEventsHaveNoEffect() {
        let card = builtInCard(hasHeadphones: true)
        var tracker = RouteTracker(cards: [card])
        let trackerBefore = tracker
        for event in [
            RouteTracker.Event.cardAdded(card), .cardRemoved(control: "hw:9"),
            .jack(control: "hw:9", name: "Headphone Jack", isPlugged: true),
        ] {
            let change = tracker.handle(event)
            #expect(change == nil && tracker == trackerBefore)
        }
        let plug = RouteTracker.Event.jack(control: card.control, name: "Headphone Jack", isPlugged: true)
        _ = tracker.handle(plug)
        let pluggedTracker = tracker
        #expect(tracker.handle(plug) == nil && tracker == pluggedTracker)
    }

    @Test("without any output the sound server's events and a wake-up change no route")
    func eventsWithoutOutputsHaveNoRoute() {
        var tracker = RouteTracker()
        #expect(tracker.currentRoute == nil && tracker.handle(.wokeUp) == nil)
        #expect(tracker.handle(.movedByServer(isLoss: true, name: "Buds"))?.current == nil)
        #expect(tracker.handle(.chosenAtServer(name: "Buds")) == RouteChange(.override, from: nil, to: nil))
        #expect(tracker == RouteTracker())
    }

    @Test("in random orders of events, each reported change begins at the previous route")
    func changesFormAChain() {
        var generator = SeededGenerator.printingSeed()
        let jackNames = ["Headphone Jack", "HDMI/DP,pcm=3 Jack", "Mic Jack"]
        for _ in 0..<200 {
            var tracker = RouteTracker()
            for _ in 0..<50 {
                let control = "hw:\(Int.random(in: 0..<3, using: &generator))"
                let name = jackNames[Int.random(in: 0..<3, using: &generator)]
                let event: RouteTracker.Event =
                    switch Int.random(in: 0..<4, using: &generator) {
                    case 0:
                        .cardAdded(
                            AudioCardInfo(
                                control: control, name: control,
                                bus: Bool.random(using: &generator) ? .usb : .internalBus,
                                jacks: jackNames.map { .init($0, isPlugged: false) }))
                    case 1: .cardRemoved(control: control)
                    default: .jack(control: control, name: name, isPlugged: Bool.random(using: &generator))
                    }
                let routeBefore = tracker.currentRoute
                let change = tracker.handle(event)
                #expect((change == nil) == (routeBefore == tracker.currentRoute))
                guard let change else { continue }
                #expect(change.previous == routeBefore && change.current == tracker.currentRoute)
                #expect((change.reason == .noSuitableRouteForCategory) == (change.current == nil))
            }
            for control in 0..<3 { _ = tracker.handle(.cardRemoved(control: "hw:\(control)")) }
            #expect(tracker == RouteTracker())
        }
    }
}
