import ArgumentParser
import CompositorProtocol
import Testing

@testable import SwiftPlayCLI

@Suite struct SystemCommandTests {
    private func request(_ arguments: [String]) throws -> SystemRequest { try SystemCommand.parse(arguments).request() }

    /// Returns the message to the user about wrong arguments; nil if the arguments are valid.
    private func errorMessage(_ arguments: [String]) -> String? {
        do {
            _ = try SystemCommand.parse(arguments)
            return nil
        } catch { return SystemCommand.message(for: error) }
    }

    private static let eventsWithState =
        "Events with a state: video-call on|off, silent on|off, lock on|off, device-added [NAME] and "
        + "device-chosen NAME."

    @Test func sessionsAreListedWithoutAnEvent() throws {
        #expect(try request([]) == .listSessions)
        #expect(try request(["sessions"]) == .listSessions)
        #expect(try request(["programs"]) == .listPrograms)
    }

    @Test(arguments: [
        (["call"], SystemRequest.callArrived(isBanner: false)), (["call-banner"], .callArrived(isBanner: true)),
        (["accept"], .callAccepted),
        (["hang-up"], .callEnded), (["reset"], .resetMediaServices), (["device-lost"], .deviceLost),
    ])
    func eventsWithoutAStateAreParsed(_ arguments: [String], _ expected: SystemRequest) throws {
        #expect(try request(arguments) == expected)
        #expect(errorMessage(arguments + ["on"]) == "\(arguments[0]) takes no state. \(Self.eventsWithState)")
    }

    @Test(arguments: [true, false]) func systemSwitchesTakeOnOrOff(_ isOn: Bool) throws {
        let state = isOn ? "on" : "off"
        #expect(try request(["silent", state]) == .silentSwitch(isOn))
        #expect(try request(["lock", state]) == .screenLock(isOn))
        #expect(try request(["video-call", state]) == .videoCall(isOn))
    }

    @Test(arguments: ["silent", "lock", "video-call"]) func aSwitchWithoutItsStateIsRefused(_ event: String) {
        #expect(errorMessage([event]) == "\(event) requires on or off.")
        #expect(errorMessage([event, "yes"]) == "\(event) requires on or off.")
        #expect(errorMessage([event, "ON"]) == "\(event) requires on or off.")
    }

    @Test func anAddedDeviceMayHaveAName() throws {
        #expect(try request(["device-added"]) == .deviceAdded(name: ""))
        #expect(try request(["device-added", "USB Headset"]) == .deviceAdded(name: "USB Headset"))
        #expect(try request(["device-added", "on"]) == .deviceAdded(name: "on"))
    }

    @Test func aChosenDeviceNeedsItsName() throws {
        #expect(try request(["device-chosen", "off"]) == .deviceChosen(name: "off"))
        #expect(errorMessage(["device-chosen"]) == "device-chosen requires the name of the device.")
    }

    @Test(arguments: ["sessions", "programs", "memory"]) func listsTakeNoState(_ list: String) {
        #expect(errorMessage([list, "on"]) == "\(list) takes no state. \(Self.eventsWithState)")
    }

    @Test func theErrorNamesAnUnknownEventAndTheKnownOnes() {
        let message =
            "Unknown event 'explode'. Events: sessions, programs, memory, call, call-banner, accept, hang-up, "
            + "device-lost, reset, video-call on|off, silent on|off, lock on|off, device-added [NAME] and "
            + "device-chosen NAME."
        #expect(errorMessage(["explode"]) == message)
        #expect(errorMessage(["explode", "now"]) == message)
    }

    @Test(arguments: [["call"], ["call-banner"], ["silent", "on"], ["lock", "on"], ["video-call", "on"]])
    func holdIsAcceptedForLastingConditions(_ arguments: [String]) {
        #expect(errorMessage(arguments + ["--hold"]) == nil)
    }

    @Test(arguments: [
        [], ["sessions"], ["accept"], ["hang-up"], ["reset"], ["device-lost"], ["device-added"], ["silent", "off"],
        ["lock", "off"],
        ["video-call", "off"],
    ])
    func holdIsRefusedForOtherEvents(_ arguments: [String]) {
        #expect(errorMessage(arguments + ["--hold"])?.hasPrefix("--hold is valid only with call") == true)
    }
}
