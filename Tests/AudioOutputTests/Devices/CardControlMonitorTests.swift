import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import AudioOutput

/// Tests with a simulated ALSA control interface of a sound card (`Tests/StandIns/ctl.c`), and with the control
/// interface of the sound server.
@Suite(.serialized) struct CardControlMonitorTests {
    /// Waits up to ten seconds for events of the monitor, and returns them.
    private func waitForEvents(of monitor: CardControlMonitor) throws -> [CardControlMonitor.Event] {
        let deadline = MonotonicTime.now + 10 * MonotonicTime.nanosecondsPerSecond
        while MonotonicTime.now < deadline {
            var entries = monitor.pollEntries
            guard try Poll.wait(&entries, until: deadline) else { break }
            let events = monitor.events(entries[...])
            if !events.isEmpty { return events }
        }
        return []
    }

    @Test func changesOfJacksAndVolumeAndTheRemovalAreReported() throws {
        let card = try SoundCardStandIn()
        defer { card.restore() }
        let monitor = try CardControlMonitor("standincard")
        #expect(monitor.cardName == "Stand-in")
        #expect(monitor.jacks == [.init("Headphone Jack", isPlugged: false)])
        try card.send("i")
        #expect(try waitForEvents(of: monitor) == [.jack(name: "Headphone Jack", isPlugged: true)])
        #expect(monitor.jacks.first?.isPlugged == true)
        #expect(monitor.volume == 0)
        try card.send("v")
        #expect(try waitForEvents(of: monitor) == [.changed(name: "Master Playback Volume")])
        #expect(monitor.volume == 0.01)
        try card.send("o")
        #expect(try waitForEvents(of: monitor) == [.jack(name: "Headphone Jack", isPlugged: false)])
        // A jack changes and the card is removed: the monitor reports both events, the removal last and only once.
        try card.send("ix")
        var events: [CardControlMonitor.Event] = []
        while !monitor.isRemoved {
            let newEvents = try waitForEvents(of: monitor)
            if newEvents.isEmpty { break }
            events += newEvents
        }
        #expect(events == [.jack(name: "Headphone Jack", isPlugged: true), .removed])
        #expect(monitor.isRemoved && monitor.pollEntries.isEmpty && monitor.events([]).isEmpty)
    }

    @Test("the system volume follows its control, and is 1 without a control")
    func systemVolumeFollowsTheMixerControlOfTheCard() throws {
        let card = try SoundCardStandIn(), volumes = Monitor<[Float]>([])
        defer { card.restore() }
        let volume = try SystemVolume(control: "standincard") { newVolume in volumes.update { $0.append(newVolume) } }
        #expect(volume.current == 0)
        func waitForVolumes(_ expected: [Float]) {
            #expect(volumes.wait(until: MonotonicTime.now + 10_000_000_000) { $0 == expected ? true : nil } == true)
        }
        try card.send("v")
        waitForVolumes([0.01])
        // The card is removed and added again: the volume is that of the new card, which is 0.
        try card.send("x")
        waitForVolumes([0.01, 0])
        volume.close()
        let unknownVolume = try SystemVolume(control: "swiftplay-no-such-card") { _ in }
        #expect(unknownVolume.current == 1)
    }

    @Test func openingAMissingControlInterfaceThrows() {
        do {
            _ = try CardControlMonitor("swiftplay-no-such-card")
            Issue.record("opened a control that does not exist")
        } catch { #expect(error.failure.operation == .open) }
    }

    @Test func volumeOfTheSoundServerIsReported() throws {
        let monitor = try CardControlMonitor("default")
        #expect(monitor.jacks.isEmpty, "the control of the sound server has jacks")
        let child = try ChildProcess(Products.systemProgram("pactl"), ["set-sink-mute", "null", "toggle"])
        try child.waitForExit()
        let events = try waitForEvents(of: monitor)
        #expect(events.contains { if case .changed = $0 { true } else { false } }, "\(events)")
        try ChildProcess(Products.systemProgram("pactl"), ["set-sink-mute", "null", "0"]).waitForExit()
    }

    @Test func playbackDevicesAreListed() {
        let names = AudioDeviceList.all.map(\.name)
        #expect(names.contains("default") || names.contains("pulse"), "\(names)")
        #expect(!names.contains("null"))
    }
}

@Suite struct DeviceMonitorTests {
    @Test(arguments: [
        ("add", "controlC1", DeviceMonitor.Event.added(card: 1)), ("remove", "controlC12", .removed(card: 12)),
        ("change", "controlC1", nil),
        ("add", "card1", nil), ("add", "pcmC1D0p", nil), ("add", "controlC", nil), ("add", "controlC-1", nil),
        ("add", "controlC99999999999999999999", nil),
    ])
    func udevEventsAreParsed(action: String, name: String, event: DeviceMonitor.Event?) {
        #expect(DeviceMonitor.event(action: action, name: name) == event)
    }

    @Test func readingEventsDoesNotBlock() throws {
        let monitor = try DeviceMonitor()
        #expect(monitor.descriptor >= 0)
        #expect(monitor.events().isEmpty)
        #expect(monitor.bus(ofCard: 200) == .internalBus)
    }
}
