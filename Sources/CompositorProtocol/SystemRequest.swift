import AudioPolicy
import WireFormat

/// An announcement of a system-wide condition, or a query. Answered with ``ServerMessage/systemDone``. Since protocol
/// version 6.
package enum SystemRequest: Equatable, Sendable {
    /// A phone call rings: shown as a banner at the edge of the screen, or full-screen.
    case callArrived(isBanner: Bool)
    /// The user has accepted the phone call.
    case callAccepted
    /// The phone call was declined or has ended.
    case callEnded
    /// The silent switch was turned on or off.
    case silentSwitch(Bool)
    /// The screen was locked or unlocked.
    case screenLock(Bool)
    /// Resets all audio sessions as a restart of the compositor does.
    case resetMediaServices
    /// Queries the audio route, the conditions, and one ``AudioSessionSnapshot`` for each session.
    case listSessions
    /// The audio device that the sound server used was removed, and the sound server has moved the audio to another
    /// device.
    case deviceLost
    /// An audio device was added, and the sound server has moved the audio to it; the name is "" if it is unknown.
    case deviceAdded(name: String)
    /// A video call with a floating window began or ended. During a video call all other floating windows are hidden.
    case videoCall(Bool)
    /// The user chose another device of the sound server, by name. Since protocol version 7.
    case deviceChosen(name: String)
    /// Queries one ``ProgramSnapshot`` for each program that reports its windows. Interface `system`, version 2.
    case listPrograms
    /// Queries one ``ProgramMemory`` for each program that reports its windows. Interface `system`, version 3.
    case listMemory
    /// The user ends the programs with this name or process ID. Each is requested to exit, and killed if it does not.
    /// Answered with ``ServerMessage/programClosed(processID:wasKilled:)`` for each. Interface `system`, version 4.
    case close(program: String)
    /// Queries one ``ProgramPicture`` for each program that may have a picture. Interface `system`, version 4.
    case listPictures
    /// Requests one ``ServerMessage/programsChanged``, when the answers to `listSessions`, `listPrograms` or
    /// `listPictures` are no longer those of the time at which the compositor received this request. Interface
    /// `system`, version 5.
    case watchPrograms
}

/// The system-wide conditions, such as phone calls and the screen lock. Since protocol version 7.
package struct SystemSnapshot: Equatable, Sendable {
    /// The state of a phone call: none, ringing as a banner, ringing full-screen, or accepted.
    package enum PhoneCall: UInt8, Sendable { case none, banner, fullScreen, accepted }

    /// The state of the phone call. If there are several calls, the state that comes last in ``PhoneCall``.
    package var phoneCall: PhoneCall
    /// Whether the silent switch is on.
    package var isSilent: Bool
    /// Whether the screen is locked.
    package var isLocked: Bool
    /// Whether a video call hides floating windows.
    package var isInVideoCall: Bool

    /// Creates a snapshot.
    package init(
        phoneCall: PhoneCall = .none, isSilent: Bool = false, isLocked: Bool = false, isInVideoCall: Bool = false
    ) {
        (self.phoneCall, self.isSilent, self.isLocked, self.isInVideoCall) = (
            phoneCall, isSilent, isLocked, isInVideoCall
        )
    }
}

/// The state of an audio session, for listing sessions to users.
package struct AudioSessionSnapshot: Equatable, Sendable {
    /// The activation state of an audio session.
    package enum Activation: UInt8, Sendable {
        /// The session was not activated, or was deactivated.
        case inactive = 1
        /// `active`: the session is active. `interrupted`: it was active until an interruption that has not ended.
        case active, interrupted
    }

    /// The program's process ID; 0 for a process of another PID namespace.
    package var processID: Int32
    /// The program's name.
    package var program: String
    /// The session's number in its program.
    package var session: UInt32
    /// The session's category, mode and options.
    package var configuration: AudioConfiguration
    /// The session's activation state.
    package var activation: Activation
    /// Whether the session renders audio.
    package var isRunning: Bool
    /// Whether the session's program is the Now Playing program.
    package var isNowPlaying: Bool
    /// The program's visibility.
    package var visibility: AudioArbiter.Visibility
    /// The attenuation while another session ducks the session, in decibels; 0 otherwise.
    package var duckDecibels: UInt8
    /// Whether the session is inaudible, because it is interrupted or the compositor mutes it.
    package var isSilent: Bool
    /// The process IDs of the programs that interrupt the session; 0 stands for a phone call, -1 for the screen lock.
    package var interruptedBy: [Int32]

    /// The maximum number of entries in ``interruptedBy``. Further entries are omitted.
    static let interruptingProgramLimit = 64

    /// Creates a snapshot with at most ``interruptingProgramLimit`` entries in `interruptedBy`.
    package init(
        processID: Int32, program: String, session: UInt32, configuration: AudioConfiguration, activation: Activation,
        isRunning: Bool, isNowPlaying: Bool,
        visibility: AudioArbiter.Visibility, duckDecibels: UInt8, isSilent: Bool, interruptedBy: [Int32]
    ) {
        (self.processID, self.program, self.session, self.configuration) = (processID, program, session, configuration)
        (self.activation, self.isRunning, self.isNowPlaying, self.visibility) = (
            activation, isRunning, isNowPlaying, visibility
        )
        (self.duckDecibels, self.isSilent, self.interruptedBy) = (
            duckDecibels, isSilent, Array(interruptedBy.prefix(Self.interruptingProgramLimit))
        )
    }
}

extension SystemRequest {
    /// Appends the number of the request and its values to a message.
    func write(to writer: inout MessageWriter) {
        switch self {
        case .callArrived(let isBanner):
            writer.write(UInt8(1))
            writer.write(isBanner)
        case .callAccepted: writer.write(UInt8(2))
        case .callEnded: writer.write(UInt8(3))
        case .silentSwitch(let isOn):
            writer.write(UInt8(4))
            writer.write(isOn)
        case .screenLock(let isOn):
            writer.write(UInt8(5))
            writer.write(isOn)
        case .resetMediaServices: writer.write(UInt8(6))
        case .listSessions: writer.write(UInt8(7))
        case .deviceLost: writer.write(UInt8(8))
        case .deviceAdded(let name):
            writer.write(UInt8(9))
            writer.write(name)
        case .videoCall(let isOn):
            writer.write(UInt8(10))
            writer.write(isOn)
        case .deviceChosen(let name):
            writer.write(UInt8(11))
            writer.write(name)
        case .listPrograms: writer.write(UInt8(12))
        case .listMemory: writer.write(UInt8(13))
        case .close(let program):
            writer.write(UInt8(14))
            writer.write(program)
        case .listPictures: writer.write(UInt8(15))
        case .watchPrograms: writer.write(UInt8(16))
        }
    }

    /// Reads a request from a message.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        switch try reader.read(UInt8.self) {
        case 1: self = .callArrived(isBanner: try reader.read())
        case 2: self = .callAccepted
        case 3: self = .callEnded
        case 4: self = .silentSwitch(try reader.read())
        case 5: self = .screenLock(try reader.read())
        case 6: self = .resetMediaServices
        case 7: self = .listSessions
        case 8: self = .deviceLost
        case 9: self = .deviceAdded(name: try reader.read())
        case 10: self = .videoCall(try reader.read())
        case 11: self = .deviceChosen(name: try reader.read())
        case 12: self = .listPrograms
        case 13: self = .listMemory
        case 14: self = .close(program: try reader.read())
        case 15: self = .listPictures
        case 16: self = .watchPrograms
        default: throw MalformedMessage("an unknown system event", isUnknown: true)
        }
    }
}

extension SystemSnapshot {
    /// Appends the snapshot to a message.
    func write(to writer: inout MessageWriter) {
        writer.write(phoneCall.rawValue)
        writer.write(isSilent)
        writer.write(isLocked)
        writer.write(isInVideoCall)
    }

    /// Reads a snapshot from a message.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        guard let phoneCall = PhoneCall(rawValue: try reader.read()) else {
            throw MalformedMessage("an unknown state of a call")
        }
        self.init(
            phoneCall: phoneCall, isSilent: try reader.read(), isLocked: try reader.read(),
            isInVideoCall: try reader.read())
    }
}

extension AudioSessionSnapshot {
    /// Appends the snapshot to a message.
    func write(to writer: inout MessageWriter) {
        writer.write(processID)
        writer.write(program)
        writer.write(session)
        configuration.write(to: &writer)
        writer.write(activation.rawValue)
        writer.write(isRunning)
        writer.write(isNowPlaying)
        writer.write(visibility.wireValue)
        writer.write(duckDecibels)
        writer.write(isSilent)
        writer.write(UInt8(clamping: interruptedBy.count))
        for interruptingID in interruptedBy { writer.write(interruptingID) }
    }

    /// Reads a snapshot; rejects more than ``interruptingProgramLimit`` entries in `interruptedBy`.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        (processID, program, session) = (try reader.read(), try reader.read(), try reader.read())
        configuration = try AudioConfiguration(from: &reader)
        guard let activation = Activation(rawValue: try reader.read()) else {
            throw MalformedMessage("an unknown activation")
        }
        (self.activation, isRunning, isNowPlaying) = (activation, try reader.read(), try reader.read())
        visibility = try AudioArbiter.Visibility(from: &reader)
        (duckDecibels, isSilent) = (try reader.read(), try reader.read())
        let programCount = Int(try reader.read(UInt8.self))
        guard programCount <= Self.interruptingProgramLimit else {
            throw MalformedMessage("too many interrupting programs")
        }
        interruptedBy = []
        for _ in 0..<programCount { interruptedBy.append(try reader.read()) }
    }
}
