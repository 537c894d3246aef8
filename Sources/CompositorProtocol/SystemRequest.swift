import AudioPolicy
import WireFormat

/// What happens to the whole machine, told by a command or by who sees it. Answered with ``ServerMessage/systemDone``.
/// Version 6.
package enum SystemRequest: Equatable, Sendable {
    /// A call rings: over everything, or at the edge of the screen.
    case callComes(isBanner: Bool)
    case callAccepted
    /// Declined, or over.
    case callEnds
    case silentSwitch(Bool)
    case screenLock(Bool)
    /// All audio sessions are as after a new start of the compositor.
    case resetMediaServices
    /// Answered with the route, and one ``AudioSessionFacts`` for each session, before the end.
    case listSessions
    /// What sound was heard on is gone, and only who says so knows: a sound server has moved it.
    case deviceLost
    /// A sound server has moved the sound to a device that came; its name, "" where nobody has one.
    case deviceAdded(name: String)
    /// A call with a picture of its own floats: other floating windows are off the screen while it does.
    case videoCall(Bool)
    /// The user chose another of a sound server's devices; its name. Version 7.
    case deviceChosen(name: String)
}

/// The conditions that hold for the whole machine. Version 7.
package struct SystemSnapshot: Equatable, Sendable {
    package enum Call: UInt8, Sendable { case none, banner, fullScreen, accepted }

    package var call: Call
    package var isSilent: Bool
    package var isLocked: Bool
    package var isVideoCalled: Bool

    package init(call: Call = .none, isSilent: Bool = false, isLocked: Bool = false, isVideoCalled: Bool = false) {
        (self.call, self.isSilent, self.isLocked, self.isVideoCalled) = (call, isSilent, isLocked, isVideoCalled)
    }
}

/// An audio session as a person wants to read of it.
package struct AudioSessionFacts: Equatable, Sendable {
    package enum Claim: UInt8, Sendable {
        case inactive = 1
        case active, interrupted
    }

    package var processID: Int32
    package var program: String
    package var session: UInt32
    package var configuration: AudioConfiguration
    package var claim: Claim
    package var isRunning: Bool
    package var isNowPlaying: Bool
    package var presence: AudioArbiter.Presence
    /// By how many decibels it is lowered.
    package var duckDecibels: UInt8
    /// Nothing of it is heard: it is interrupted, or silenced by the switch.
    package var isSilent: Bool
    /// Who keeps it interrupted: processes; 0 is a call, -1 the lock.
    package var heldBy: [Int32]

    /// More are not told.
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
