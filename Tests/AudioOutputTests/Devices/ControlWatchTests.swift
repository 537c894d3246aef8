import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import AudioOutput

/// On a stand-in for a card's control (`Tests/StandIns/ctl.c`), and on the sound server's.
@Suite(.serialized) struct ControlWatchTests {
    private func wait(for watch: ControlWatch) throws -> [ControlWatch.Event] {
        let deadline = MonotonicTime.now + 10 * MonotonicTime.nanosecondsPerSecond
        while MonotonicTime.now < deadline {
            var entries = watch.entries
            guard try Poll.wait(&entries, until: deadline) else { break }
            let events = watch.events(entries[...])
            if !events.isEmpty { return events }
        }
        return []
    }

    @Test func hearsAJackAndTheCardsEnd() throws {
        let card = try CardStandIn()
        defer { card.restore() }
        let watch = try ControlWatch("standincard")
        #expect(watch.cardName == "Stand-in")
        #expect(watch.jacks == [.init("Headphone Jack", isPlugged: false)])
        try card.say("i")
        #expect(try wait(for: watch) == [.jack(name: "Headphone Jack", isPlugged: true)])
        #expect(watch.jacks.first?.isPlugged == true)
        #expect(watch.volume == 0)
        try card.say("v")
        #expect(try wait(for: watch) == [.changed(name: "Master Playback Volume")])
        #expect(watch.volume == 0.01)
        try card.say("o")
        #expect(try wait(for: watch) == [.jack(name: "Headphone Jack", isPlugged: false)])
        // Pulled out with the card: all of it is told, the end last and once.
        try card.say("ix")
        var events: [ControlWatch.Event] = []
        while !watch.isGone {
            let more = try wait(for: watch)
            if more.isEmpty { break }
            events += more
        }
        #expect(events == [.jack(name: "Headphone Jack", isPlugged: true), .gone])
        #expect(watch.isGone && watch.entries.isEmpty && watch.events([]).isEmpty)
    }

    @Test("the system's volume is followed until its control is gone, and 1 where there is none")
    func followsTheVolume() throws {
        let card = try CardStandIn(), heard = Monitor<[Float]>([])
        defer { card.restore() }
        let volume = try SystemVolume(control: "standincard") { new in heard.update { $0.append(new) } }
        #expect(volume.current == 0)
        func waitForChanges(_ wanted: [Float]) {
            #expect(heard.wait(until: MonotonicTime.now + 10_000_000_000) { $0 == wanted ? true : nil } == true)
        }
        try card.say("v")
        waitForChanges([0.01])
        // Pulled and there again: that of the new one.
        try card.say("x")
        waitForChanges([0.01, 0])
        volume.close()
        let none = try SystemVolume(control: "swiftplay-no-such-card") { _ in }
        #expect(none.current == 1)
    }

    @Test func aControlThatIsNotThereSaysSo() {
        do {
            _ = try ControlWatch("swiftplay-no-such-card")
            Issue.record("opened a control that does not exist")
        } catch { #expect(error.failure.step == .open) }
    }

    @Test func hearsOfTheSoundServersVolume() throws {
        let watch = try ControlWatch("default")
        #expect(watch.jacks.isEmpty, "a server's control has none")
        let child = try ChildProcess(Products.system("pactl"), ["set-sink-mute", "null", "toggle"])
        try child.waitForExit()
        let events = try wait(for: watch)
        #expect(events.contains { if case .changed = $0 { true } else { false } }, "\(events)")
        try ChildProcess(Products.system("pactl"), ["set-sink-mute", "null", "0"]).waitForExit()
    }

    @Test func listsWhatCanBePlayedOn() {
        let names = AudioDeviceList.all.map(\.name)
        #expect(names.contains("default") || names.contains("pulse"), "\(names)")
        #expect(!names.contains("null"))
    }
}

@Suite struct DeviceWatchTests {
    @Test(arguments: [
        ("add", "controlC1", DeviceWatch.Event.added(card: 1)), ("remove", "controlC12", .removed(card: 12)),
        ("change", "controlC1", nil),
        ("add", "card1", nil), ("add", "pcmC1D0p", nil), ("add", "controlC", nil), ("add", "controlC-1", nil),
        ("add", "controlC99999999999999999999", nil),
    ])
    func wordsOfUdev(action: String, name: String, event: DeviceWatch.Event?) {
        #expect(DeviceWatch.event(action: action, name: name) == event)
    }

    @Test func listensWithoutWaiting() throws {
        let watch = try DeviceWatch()
        #expect(watch.descriptor >= 0)
        #expect(watch.events().isEmpty)
        #expect(watch.bus(ofCard: 200) == .internalBus)
    }
}
