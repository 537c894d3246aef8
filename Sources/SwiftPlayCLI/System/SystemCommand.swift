import ArgumentParser
import CompositorProtocol
import Glibc
import SwiftPlay

/// The command `swiftplay system`, with which users and desktop scripts report events of the whole machine.
struct SystemCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swiftplay system",
        abstract: "Lists the audio sessions of all programs, and tells them what happens to the machine.",
        discussion: """
            EVENT is one of:
              sessions            list them, below where sound is heard (without an event, too)
              call                a call rings over everything: all sound stops
              call-banner         a call rings at the edge of the screen: who asked not to be disturbed plays on
              accept              the call is accepted
              hang-up             the call is over, or declined: who was interrupted by it may go on
              video-call on|off   a call with a picture of its own: floating windows are off the screen while it lasts, and pause
              silent on|off       the silent switch: ambient sound is not heard
              lock on|off         the screen's lock
              device-lost         what was listened to is unplugged, and a sound server has moved the sound: what plays pauses
              device-added [NAME] something to listen to was plugged in, and the sound server plays on it: nothing goes on by itself
              device-chosen NAME  the user chose another of the sound server's devices: what plays plays on
              reset               all audio sessions begin from nothing, as after a new start of the compositor

            A call, the silent switch, the lock and a video call hold until another command ends them, also after reset and when the
            compositor exits or crashes. With --hold they end with this command at the latest; if another command ends them, this
            one exits.

            Exit codes: 0 done; 1 the compositor cannot be reached; 64 wrong arguments.
            """)

    @Argument(help: ArgumentHelp("What happens.", valueName: "event")) var event = "sessions"
    @Argument(help: ArgumentHelp("on or off; of device-added and device-chosen a name.", valueName: "state")) var state:
        String?

    @Flag(
        help:
            "Keep running: what is announced (call, call-banner, silent on, lock on, video-call on) ends when this command does."
    )
    var hold = false

    func request() throws -> SystemRequest {
        let isOn: Bool? =
            switch state {
            case "on": true
            case "off": false
            default: nil
            }
        switch (event, state, isOn) {
        case ("sessions", nil, _): return .listSessions
        case ("call", nil, _): return .callComes(isBanner: false)
        case ("call-banner", nil, _): return .callComes(isBanner: true)
        case ("accept", nil, _): return .callAccepted
        case ("hang-up", nil, _): return .callEnds
        case ("reset", nil, _): return .resetMediaServices
        case ("device-lost", nil, _): return .deviceLost
        case ("device-added", let name, _): return .deviceAdded(name: name ?? "")
        case ("device-chosen", let name?, _): return .deviceChosen(name: name)
        case ("device-chosen", nil, _): throw ValidationError("device-chosen needs the device's name.")
        case ("silent", _, let isOn?): return .silentSwitch(isOn)
        case ("lock", _, let isOn?): return .screenLock(isOn)
        case ("video-call", _, let isOn?): return .videoCall(isOn)
        case ("silent", _, nil), ("lock", _, nil), ("video-call", _, nil):
            throw ValidationError("\(event) is on or off.")
        default:
            throw ValidationError(
                "There is no event '\(([event] + (state.map { [$0] } ?? [])).joined(separator: " "))'.")
        }
    }

    /// Returns whether the request only matters to existing sessions, so that it need not start the compositor.
    private static func concernsNobodyElse(_ request: SystemRequest) -> Bool {
        switch request {
        case .listSessions, .deviceLost, .deviceAdded, .deviceChosen: true
        default: false
        }
    }

    /// Returns whether the request announces a condition that `--hold` can keep.
    private static func isCondition(_ request: SystemRequest) -> Bool {
        switch request {
        case .callComes, .silentSwitch(true), .screenLock(true), .videoCall(true): true
        default: false
        }
    }

    func validate() throws {
        let request = try request()
        if hold, !Self.isCondition(request) {
            throw ValidationError("--hold goes with call, call-banner, silent on, lock on and video-call on.")
        }
    }

    func run() throws {
        let request = try request()
        if hold { return try holdOn(request) }
        let answer: SystemControl.Answer?
        do throws(SystemControl.Failure) {
            answer = try SystemControl.perform(request, startsCompositor: !Self.concernsNobodyElse(request))
        } catch {
            PlayerApp.complain(error.description)
            throw ExitCode(1)
        }
        guard request == .listSessions else { return }
        print(SessionTable.text(of: answer ?? SystemControl.Answer()), terminator: "")
    }

    private func holdOn(_ request: SystemRequest) throws {
        do throws(SystemControl.Failure) {
            // Scripts wait for this line to know that the condition is in effect.
            try SystemControl.hold(request) {
                print("holding")
                fflush(nil)
            }
        } catch {
            PlayerApp.complain(error.description)
            throw ExitCode(1)
        }
    }
}
