import AudioPolicy
import CompositorProtocol
import Foundation
import SwiftPlay
import Testing

@testable import SwiftPlayCLI

@Suite struct SessionTableTests {
    /// Returns the snapshot of an audio session after `change` has modified it.
    private func makeSession(_ change: (inout AudioSessionSnapshot) -> Void = { _ in }) -> AudioSessionSnapshot {
        var session = AudioSessionSnapshot(
            processID: 42, program: "film", session: 1, configuration: .initial, activation: .active, isRunning: true,
            isNowPlaying: false,
            visibility: .foreground, duckDecibels: 0, isSilent: false, interruptedBy: [])
        change(&session)
        return session
    }

    /// Returns the lines that `swiftplay system sessions` prints.
    private func lines(
        _ sessions: [AudioSessionSnapshot], route: AudioRoute? = nil, conditions: SystemSnapshot = SystemSnapshot()
    ) -> [String] {
        var reply = SystemControl.Reply()
        (reply.sessions, reply.route, reply.conditions) = (sessions, route, conditions)
        let text = SessionTable.text(of: reply)
        #expect(text.hasSuffix("\n"))
        return text.dropLast().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Returns the words in the table row of the only session, which `change` has modified.
    private func row(_ change: (inout AudioSessionSnapshot) -> Void) -> [String] {
        lines([makeSession(change)])[2].split(separator: " ").map(String.init)
    }

    @Test func withoutSessionsThereIsOneLine() {
        #expect(lines([]) == ["no audio sessions"])
    }

    @Test func conditionsAreListedWithoutSessions() {
        #expect(
            lines([], conditions: SystemSnapshot(isLocked: true)) == [
                "conditions: the screen is locked", "no audio sessions",
            ])
    }

    @Test func allConditionsAreListedInOneLine() {
        let allConditions = SystemSnapshot(phoneCall: .accepted, isSilent: true, isLocked: true, isInVideoCall: true)
        #expect(
            lines([], conditions: allConditions)[0]
                == "conditions: a call, a video call, the silent switch is on, the screen is locked")
    }

    @Test(arguments: [
        (SystemSnapshot.PhoneCall.banner, "a call rings in a banner"), (.fullScreen, "a call rings"),
        (.accepted, "a call"),
    ])
    func eachStateOfAPhoneCallHasItsText(_ call: SystemSnapshot.PhoneCall, _ text: String) {
        #expect(lines([], conditions: SystemSnapshot(phoneCall: call))[0] == "conditions: \(text)")
    }

    @Test(arguments: [
        (AudioRoute.Port.speaker, "speaker"), (.headphones, "headphones"), (.lineOut, "line out"), (.hdmi, "HDMI"),
        (.usb, "USB"),
        (.bluetooth, "Bluetooth"), (.soundServer, "sound server"),
    ])
    func theRouteIsNamedWithItsPort(_ port: AudioRoute.Port, _ text: String) {
        let route = AudioRoute(device: "default", port: port, name: "Device")
        #expect(lines([makeSession()], route: route)[0] == "output: Device (\(text))")
    }

    @Test func columnsAreAsWideAsTheirWidestCell() {
        let longNameSession = makeSession { $0.program = "a-program-with-a-long-name" }
        let table = lines([makeSession(), longNameSession])
        #expect(table.count == 4)
        let category = table[1].range(of: "CATEGORY")?.lowerBound.utf16Offset(in: table[1])
        for row in table[2...] { #expect(row.range(of: "soloAmbient")?.lowerBound.utf16Offset(in: row) == category) }
    }

    @Test func noLineEndsWithASpace() {
        #expect(lines([makeSession(), makeSession { $0.visibility = .background }]).allSatisfy { $0.last != " " })
    }

    @Test(arguments: [
        (AudioSessionSnapshot.Activation.inactive, "inactive"), (.active, "active"), (.interrupted, "interrupted"),
    ])
    func theActivationStateOfASessionIsShown(_ activation: AudioSessionSnapshot.Activation, _ text: String) {
        #expect(row { $0.activation = activation }[5] == text)
    }

    @Test func duckedAndSilentAudioIsShown() {
        #expect(row { $0.duckDecibels = 14 }[7...8] == ["-14", "dB"])
        #expect(row { _ in }[7...8] == ["0", "dB"])
        #expect(row { ($0.isSilent, $0.duckDecibels) = (true, 14) }[7] == "silent")
    }

    @Test func runningAudioIsShown() {
        #expect(row { $0.isRunning = true }[6] == "running")
        #expect(row { $0.isRunning = false }[6] == "-")
    }

    @Test func theHeldByColumnShowsCallLockOrProcess() {
        #expect(row { ($0.isSilent, $0.interruptedBy) = (true, [0, -1, 77]) }[8] == "call,lock,77")
        #expect(row { $0.isSilent = true }[8] == "-")
    }

    @Test func optionsHaveTheNamesOfTheCommandLine() throws {
        func optionNames(_ options: AudioCategoryOptions) throws -> String {
            let configuration = try AudioConfiguration(category: .playback, options: options)
            return row { $0.configuration = configuration }[4]
        }
        #expect(try optionNames([]) == "-")
        #expect(try optionNames(.mixWithOthers) == "mix")
        #expect(try optionNames(.duckOthers) == "duck")
        #expect(try optionNames([.interruptSpokenAudioAndMixWithOthers, .duckOthers]) == "interrupt-spoken,duck")
    }

    @Test func theLastColumnShowsVisibilityAndNowPlaying() {
        #expect(row { ($0.isSilent, $0.visibility) = (true, .pictureInPicture) }.last == "pip")
        #expect(
            row { ($0.isSilent, $0.visibility, $0.isNowPlaying) = (true, .background, true) }.suffix(3) == [
                "background,", "now", "playing",
            ])
    }
}
