import ArgumentParser
import CompositorProtocol
import Glibc
import SwiftPlay

/// The command `swiftplay system`, with which users and desktop scripts report events of the whole machine.
struct SystemCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swiftplay system",
        abstract: "Lists programs and their audio sessions, and announces events of the machine to them.",
        discussion: """
            EVENT is one of:
              sessions            lists the audio route and all audio sessions (default)
              programs            lists the programs that play media, with their roles
              memory              lists the memory of these programs, and what the last
                                  warning released
              call                a call rings full screen: all audio stops
              call-banner         a call rings in a banner: sessions that prefer no
                                  interruptions continue
              accept              the call is accepted
              hang-up             the call ends or is declined: interrupted programs may
                                  resume
              video-call on|off   a video call starts or ends: floating windows disappear
                                  and pause during the call
              silent on|off       the silent switch: ambient audio is silenced
              lock on|off         the screen lock
              device-lost         a device was removed, and the sound server moved the
                                  audio: players there pause
              device-added [NAME] a device was connected, and the sound server plays on
                                  it: paused players stay paused
              device-chosen NAME  the user chose another device of the sound server:
                                  playback continues
              reset               restarts all audio sessions, as after a restart of the
                                  compositor

            A call, the silent switch, the lock and a video call stay in effect until another command ends them, also \
            after reset and after a crash of the compositor. With --hold they end when this command exits. If another \
            command ends them, this command exits.

            Exit codes: 0 done; 1 the compositor cannot be reached; 64 invalid arguments.
            """)

    @Argument(help: ArgumentHelp("The event to announce.", valueName: "event")) var event = "sessions"
    @Argument(help: ArgumentHelp("on or off; for device-added and device-chosen a name.", valueName: "state"))
    var state: String?

    @Flag(
        help: """
            Keep running; the event (call, call-banner, silent on, lock on, video-call on) ends when the command \
            exits.
            """
    )
    var hold = false

    /// The events without a state, in the order of the help text.
    private static let eventsWithoutState = [
        "sessions", "programs", "memory", "call", "call-banner", "accept", "hang-up", "device-lost", "reset",
    ]

    /// The events that may have a state, as the help text shows them.
    private static let eventsWithState =
        "video-call on|off, silent on|off, lock on|off, device-added [NAME] and device-chosen NAME"

    /// Returns the request that the arguments describe; throws `ValidationError` for invalid arguments.
    func request() throws -> SystemRequest {
        let isOn: Bool? =
            switch state {
            case "on": true
            case "off": false
            default: nil
            }
        switch (event, state, isOn) {
        case ("sessions", nil, _): return .listSessions
        case ("programs", nil, _): return .listPrograms
        case ("memory", nil, _): return .listMemory
        case ("call", nil, _): return .callArrived(isBanner: false)
        case ("call-banner", nil, _): return .callArrived(isBanner: true)
        case ("accept", nil, _): return .callAccepted
        case ("hang-up", nil, _): return .callEnded
        case ("reset", nil, _): return .resetMediaServices
        case ("device-lost", nil, _): return .deviceLost
        case ("device-added", let name, _): return .deviceAdded(name: name ?? "")
        case ("device-chosen", let name?, _): return .deviceChosen(name: name)
        case ("device-chosen", nil, _): throw ValidationError("device-chosen requires the name of the device.")
        case ("silent", _, let isOn?): return .silentSwitch(isOn)
        case ("lock", _, let isOn?): return .screenLock(isOn)
        case ("video-call", _, let isOn?): return .videoCall(isOn)
        case ("silent", _, nil), ("lock", _, nil), ("video-call", _, nil):
            throw ValidationError("\(event) requires on or off.")
        default:
            guard !Self.eventsWithoutState.contains(event) else {
                throw ValidationError("\(event) takes no state. Events with a state: \(Self.eventsWithState).")
            }
            let events = Self.eventsWithoutState.joined(separator: ", ")
            throw ValidationError("Unknown event '\(event)'. Events: \(events), \(Self.eventsWithState).")
        }
    }

    /// Returns whether the request concerns only existing programs and their audio sessions. Such a request need not
    /// start the compositor process.
    private static func concernsExistingSessions(_ request: SystemRequest) -> Bool {
        switch request {
        case .listSessions, .listPrograms, .listMemory, .deviceLost, .deviceAdded, .deviceChosen: true
        default: false
        }
    }

    /// Returns whether the request announces a lasting condition, such as a phone call, which `--hold` can end when the
    /// command exits.
    private static func isLastingCondition(_ request: SystemRequest) -> Bool {
        switch request {
        case .callArrived, .silentSwitch(true), .screenLock(true), .videoCall(true): true
        default: false
        }
    }

    func validate() throws {
        let request = try request()
        if hold, !Self.isLastingCondition(request) {
            throw ValidationError("--hold is valid only with call, call-banner, silent on, lock on and video-call on.")
        }
    }

    func run() throws {
        let request = try request()
        if hold { return try announceAndWait(request) }
        let reply: SystemControl.Reply?
        do throws(SystemControl.Failure) {
            reply = try SystemControl.perform(request, startsCompositor: !Self.concernsExistingSessions(request))
        } catch {
            PlayerApp.reportError(error.description)
            throw ExitCode(1)
        }
        switch request {
        case .listSessions: print(SessionTable.text(of: reply ?? SystemControl.Reply()), terminator: "")
        case .listPrograms: print(ProgramTable.text(of: reply?.programs ?? []), terminator: "")
        case .listMemory:
            let reply = reply ?? SystemControl.Reply()
            print(MemoryTable.text(of: reply.memory, pressure: reply.memoryPressure), terminator: "")
        default: break
        }
    }

    /// Announces a lasting condition to the compositor and waits until the condition ends.
    private func announceAndWait(_ request: SystemRequest) throws {
        do throws(SystemControl.Failure) {
            // Scripts wait for this line, which confirms that the condition is in effect.
            try SystemControl.holdCondition(request) {
                print("holding")
                fflush(nil)
            }
        } catch {
            PlayerApp.reportError(error.description)
            throw ExitCode(1)
        }
    }
}
