import ArgumentParser
import CompositorProtocol
import Testing

@testable import SwiftPlayCLI

@Suite struct SystemCommandTests {
    private func request(_ words: [String]) throws -> SystemRequest { try SystemCommand.parse(words).request() }

    private func complaint(_ words: [String]) -> String? {
        do {
            _ = try SystemCommand.parse(words)
            return nil
        } catch { return SystemCommand.message(for: error) }
    }

    @Test func sessionsAreListedWithoutAnEvent() throws {
        #expect(try request([]) == .listSessions)
        #expect(try request(["sessions"]) == .listSessions)
    }

    @Test(arguments: [
        (["call"], SystemRequest.callComes(isBanner: false)), (["call-banner"], .callComes(isBanner: true)),
        (["accept"], .callAccepted),
        (["hang-up"], .callEnds), (["reset"], .resetMediaServices), (["device-lost"], .deviceLost),
    ])
    func eventsWithoutAState(_ words: [String], _ expected: SystemRequest) throws {
        #expect(try request(words) == expected)
        #expect(complaint(words + ["on"])?.contains("There is no event '\(words[0]) on'") == true)
    }

    @Test(arguments: [true, false]) func switchesAreOnOrOff(_ isOn: Bool) throws {
        let word = isOn ? "on" : "off"
        #expect(try request(["silent", word]) == .silentSwitch(isOn))
        #expect(try request(["lock", word]) == .screenLock(isOn))
        #expect(try request(["video-call", word]) == .videoCall(isOn))
    }

    @Test(arguments: ["silent", "lock", "video-call"]) func aSwitchWithoutItsStateIsRefused(_ event: String) {
        #expect(complaint([event]) == "\(event) is on or off.")
        #expect(complaint([event, "yes"]) == "\(event) is on or off.")
        #expect(complaint([event, "ON"]) == "\(event) is on or off.")
    }

    @Test func anAddedDeviceMayHaveAName() throws {
        #expect(try request(["device-added"]) == .deviceAdded(name: ""))
        #expect(try request(["device-added", "USB Headset"]) == .deviceAdded(name: "USB Headset"))
        #expect(try request(["device-added", "on"]) == .deviceAdded(name: "on"))
    }

    @Test func aChosenDeviceNeedsItsName() throws {
        #expect(try request(["device-chosen", "off"]) == .deviceChosen(name: "off"))
        #expect(complaint(["device-chosen"]) == "device-chosen needs the device's name.")
    }

    @Test func anUnknownEventIsNamed() {
        #expect(complaint(["explode"]) == "There is no event 'explode'.")
        #expect(complaint(["explode", "now"]) == "There is no event 'explode now'.")
    }

    @Test(arguments: [["call"], ["call-banner"], ["silent", "on"], ["lock", "on"], ["video-call", "on"]])
    func conditionsCanBeHeld(_ words: [String]) {
        #expect(complaint(words + ["--hold"]) == nil)
    }

    @Test(arguments: [
        [], ["sessions"], ["accept"], ["hang-up"], ["reset"], ["device-lost"], ["device-added"], ["silent", "off"],
        ["lock", "off"],
        ["video-call", "off"],
    ])
    func nothingElseCanBeHeld(_ words: [String]) {
        #expect(complaint(words + ["--hold"])?.hasPrefix("--hold goes with call") == true)
    }
}
