import AudioPolicy
import WireFormat

/// An announcement or query of a system-wide condition. Answered with ``ServerMessage/systemDone``. Version 6.
package enum SystemRequest: Equatable, Sendable {
    /// A call rings: as a banner at the edge of the screen, or full-screen.
    case callComes(isBanner: Bool)
    /// The call was accepted.
    case callAccepted
    /// The call was declined or has ended.
    case callEnds
    /// The silent switch was turned on or off.
    case silentSwitch(Bool)
    /// The screen was locked or unlocked.
    case screenLock(Bool)
    /// Resets all audio sessions as after a new start of the compositor.
    case resetMediaServices
    /// Queries the audio route, the conditions, and one ``AudioSessionFacts`` for each session.
    case listSessions
    /// The sound server's device was removed, and the sound server has moved the audio to another device.
    case deviceLost
    /// A device was added, and the sound server has moved the audio to it; "" if its name is unknown.
    case deviceAdded(name: String)
    /// A video call with a floating window began or ended. It hides all other floating windows.
    case videoCall(Bool)
    /// The user chose another device of the sound server, by name. Version 7.
    case deviceChosen(name: String)
}

/// The system-wide conditions. Version 7.
package struct SystemSnapshot: Equatable, Sendable {
    /// The state of a phone call.
    package enum Call: UInt8, Sendable { case none, banner, fullScreen, accepted }

    /// The most advanced call.
    package var call: Call
    /// Whether the silent switch is on.
    package var isSilent: Bool
    /// Whether the screen is locked.
    package var isLocked: Bool
    /// Whether a video call hides floating windows.
    package var isVideoCalled: Bool

    /// Creates a snapshot.
    package init(call: Call = .none, isSilent: Bool = false, isLocked: Bool = false, isVideoCalled: Bool = false) {
        (self.call, self.isSilent, self.isLocked, self.isVideoCalled) = (call, isSilent, isLocked, isVideoCalled)
    }
}

/// The state of an audio session, for display to users.
package struct AudioSessionFacts: Equatable, Sendable {
    /// The activation state of the session.
    package enum Claim: UInt8, Sendable {
        case inactive = 1
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
    package var claim: Claim
    /// Whether the session renders audio.
    package var isRunning: Bool
    /// Whether the session's program is the Now Playing program.
    package var isNowPlaying: Bool
    /// The program's visibility.
    package var presence: AudioArbiter.Presence
    /// The attenuation by ducking, in decibels.
    package var duckDecibels: UInt8
    /// Whether the session is inaudible: it is interrupted, or its gate is closed.
    package var isSilent: Bool
    /// The causes of an interruption: process IDs, 0 for a call, -1 for the screen lock.
    package var heldBy: [Int32]

    /// The largest number of entries in ``heldBy``; more are omitted.
    static let holderLimit = 64

    package init(
        processID: Int32, program: String, session: UInt32, configuration: AudioConfiguration, claim: Claim,
        isRunning: Bool, isNowPlaying: Bool,
        presence: AudioArbiter.Presence, duckDecibels: UInt8, isSilent: Bool, heldBy: [Int32]
    ) {
        (self.processID, self.program, self.session, self.configuration) = (processID, program, session, configuration)
        (self.claim, self.isRunning, self.isNowPlaying, self.presence) = (claim, isRunning, isNowPlaying, presence)
        (self.duckDecibels, self.isSilent, self.heldBy) = (
            duckDecibels, isSilent, Array(heldBy.prefix(Self.holderLimit))
        )
    }
}

extension SystemRequest {
    func write(to w: inout MessageWriter) {
        switch self {
        case .callComes(let isBanner):
            w.write(UInt8(1))
            w.write(isBanner)
        case .callAccepted: w.write(UInt8(2))
        case .callEnds: w.write(UInt8(3))
        case .silentSwitch(let on):
            w.write(UInt8(4))
            w.write(on)
        case .screenLock(let on):
            w.write(UInt8(5))
            w.write(on)
        case .resetMediaServices: w.write(UInt8(6))
        case .listSessions: w.write(UInt8(7))
        case .deviceLost: w.write(UInt8(8))
        case .deviceAdded(let name):
            w.write(UInt8(9))
            w.write(name)
        case .videoCall(let on):
            w.write(UInt8(10))
            w.write(on)
        case .deviceChosen(let name):
            w.write(UInt8(11))
            w.write(name)
        }
    }

    init(from r: inout MessageReader) throws(MalformedMessage) {
        switch try r.read(UInt8.self) {
        case 1: self = .callComes(isBanner: try r.read())
        case 2: self = .callAccepted
        case 3: self = .callEnds
        case 4: self = .silentSwitch(try r.read())
        case 5: self = .screenLock(try r.read())
        case 6: self = .resetMediaServices
        case 7: self = .listSessions
        case 8: self = .deviceLost
        case 9: self = .deviceAdded(name: try r.read())
        case 10: self = .videoCall(try r.read())
        case 11: self = .deviceChosen(name: try r.read())
        default: throw MalformedMessage("an unknown system event", isUnknown: true)
        }
    }
}

extension SystemSnapshot {
    func write(to w: inout MessageWriter) {
        w.write(call.rawValue)
        w.write(isSilent)
        w.write(isLocked)
        w.write(isVideoCalled)
    }

    init(from r: inout MessageReader) throws(MalformedMessage) {
        guard let call = Call(rawValue: try r.read()) else { throw MalformedMessage("an unknown state of a call") }
        self.init(call: call, isSilent: try r.read(), isLocked: try r.read(), isVideoCalled: try r.read())
    }
}

extension AudioSessionFacts {
    func write(to w: inout MessageWriter) {
        w.write(processID)
        w.write(program)
        w.write(session)
        configuration.write(to: &w)
        w.write(claim.rawValue)
        w.write(isRunning)
        w.write(isNowPlaying)
        w.write(presence.code)
        w.write(duckDecibels)
        w.write(isSilent)
        w.write(UInt8(clamping: heldBy.count))
        for holder in heldBy { w.write(holder) }
    }

    init(from r: inout MessageReader) throws(MalformedMessage) {
        (processID, program, session) = (try r.read(), try r.read(), try r.read())
        configuration = try AudioConfiguration(from: &r)
        guard let claim = Claim(rawValue: try r.read()) else { throw MalformedMessage("an unknown claim") }
        (self.claim, isRunning, isNowPlaying) = (claim, try r.read(), try r.read())
        presence = try AudioArbiter.Presence(from: &r)
        (duckDecibels, isSilent) = (try r.read(), try r.read())
        let count = Int(try r.read(UInt8.self))
        guard count <= Self.holderLimit else { throw MalformedMessage("too many holders") }
        heldBy = []
        for _ in 0..<count { heldBy.append(try r.read()) }
    }
}
