import AudioPolicy
import WireFormat

/// What the compositor says to a program.
package enum ServerMessage: Equatable, Sendable {
    /// The version that is spoken from now on.
    case welcome(version: UInt16)
    /// There is no version that both understand, or the program is not served, which may be said before `hello`; the
    /// reason in words. The connection ends, and the program is granted nothing.
    case refused(reason: String)
    /// Whether the session's surface can be used, after `openSession`.
    case sessionOpened(session: UInt32)
    case sessionFailed(session: UInt32, reason: String)
    /// The window may open; nobody else has one now.
    case granted(session: UInt32)
    /// The first frame can be seen: the old place need not be fed any longer.
    case shown(session: UInt32, frame: UInt64)
    case startFailed(session: UInt32, reason: String)
    /// The window is gone, as `stop` asked: one for each.
    case stopped(session: UInt32)
    /// Another program's window is about to open: this one must go, and says `stop` when its program was told.
    case replaced(session: UInt32)
    /// The user did something.
    case action(session: UInt32, Action)
    /// Size of the picture in the window, in pixels.
    case renderSize(session: UInt32, width: UInt32, height: UInt32)
    /// The window was taken away: the program did not say `stop` in time. Version 5; before that it was `stopped`.
    case removed(session: UInt32)

    /// What the user has settled for all programs, after `welcome` and when it changes: whether Picture-in-Picture may
    /// start by itself. Version 5.
    case settings(startsAutomatically: Bool)
    /// Of an audio session. Version 6. `sequence` grows with each report to any program, so that reports to different
    /// programs have one order; 0 before version 7.
    case audio(session: UInt32, sequence: UInt64, AudioReport)
    /// One audio session of all that are there, as `system` asked. Version 6.
    case audioSession(AudioSessionFacts)
    /// Where sound is heard, as `system` asked: before the sessions. Version 6.
    case audioRoute(AudioRoute?)
    /// A call's picture takes the place of all floating windows: the session's is off the screen, if it has one, and
    /// none is opened; or that is over. Version 6.
    case suspended(session: UInt32, Bool)
    /// The conditions that hold for the whole machine, as `system` asked: before the sessions. Version 7.
    case systemState(SystemSnapshot)
    /// What `system` asked is done. Version 6.
    case systemDone
    /// The interfaces that the compositor speaks, after `welcome`. Version 9.
    case interfaces(InterfaceVersions)
    /// The compositor does not know a message of the program, by its number, and has ignored it; the reason in words.
    /// Version 9.
    case unsupported(message: UInt8, reason: String)

    package enum Action: Equatable, Sendable {
        case restore, close, playPause
        /// Nanoseconds forwards or back.
        case skip(Int64)
        /// To this moment, nanoseconds. Version 4.
        case seek(to: Int64)
        /// Thousandths, as ``SoundFacts/volume``. Version 5.
        case volume(UInt16)
        /// Sound off, or on again. Version 5.
        case mute

        /// The first version that has it.
        package var version: UInt16 {
            switch self {
            case .restore, .close, .playPause, .skip: ProtocolVersion.oldest
            case .seek: ProtocolVersion.seeking
            case .volume, .mute: ProtocolVersion.sound
            }
        }
    }
}

extension ServerMessage {
    package var encoded: [UInt8] {
        var w = MessageWriter()
        switch self {
        case .welcome(let version):
            w.write(UInt8(1))
            w.write(version)
        case .refused(let reason):
            w.write(UInt8(2))
            w.write(reason)
        case .sessionOpened(let session):
            w.write(UInt8(3))
            w.write(session)
        case .sessionFailed(let session, let reason):
            w.write(UInt8(4))
            w.write(session)
            w.write(reason)
        case .granted(let session):
            w.write(UInt8(5))
            w.write(session)
        case .shown(let session, let frame):
            w.write(UInt8(6))
            w.write(session)
            w.write(frame)
        case .startFailed(let session, let reason):
            w.write(UInt8(7))
            w.write(session)
            w.write(reason)
        case .stopped(let session):
            w.write(UInt8(8))
            w.write(session)
        case .replaced(let session):
            w.write(UInt8(9))
            w.write(session)
        case .action(let session, let action):
            w.write(UInt8(10))
            w.write(session)
            switch action {
            case .restore: w.write(UInt8(1))
            case .close: w.write(UInt8(2))
            case .playPause: w.write(UInt8(3))
            case .skip(let time):
                w.write(UInt8(4))
                w.write(time)
            case .seek(let time):
                w.write(UInt8(5))
                w.write(time)
            case .volume(let volume):
                w.write(UInt8(6))
                w.write(volume)
            case .mute: w.write(UInt8(7))
            }
        case .renderSize(let session, let width, let height):
            w.write(UInt8(11))
            w.write(session)
            w.write(width)
            w.write(height)
        case .settings(let automatic):
            w.write(UInt8(12))
            w.write(automatic)
        case .removed(let session):
            w.write(UInt8(13))
            w.write(session)
        case .audio(let session, 0, let report):
            w.write(UInt8(14))
            w.write(session)
            report.write(to: &w)
        case .audio(let session, let sequence, let report):
            w.write(UInt8(20))
            w.write(session)
            w.write(sequence)
            report.write(to: &w)
        case .audioSession(let facts):
            w.write(UInt8(15))
            facts.write(to: &w)
        case .systemDone: w.write(UInt8(16))
        case .audioRoute(let route):
            w.write(UInt8(17))
            route.write(to: &w)
        case .suspended(let session, let on):
            w.write(UInt8(18))
            w.write(session)
            w.write(on)
        case .systemState(let facts):
            w.write(UInt8(19))
            facts.write(to: &w)
        case .interfaces(let versions):
            w.write(UInt8(21))
            versions.write(to: &w)
        case .unsupported(let message, let reason):
            w.write(UInt8(22))
            w.write(message)
            w.write(reason)
        }
        return w.bytes
    }

    package init(decoding bytes: [UInt8]) throws(MalformedMessage) {
        var r = MessageReader(bytes)
        switch try r.read(UInt8.self) {
        case 1: self = .welcome(version: try r.read())
        case 2: self = .refused(reason: try r.read())
        case 3: self = .sessionOpened(session: try r.read())
        case 4: self = .sessionFailed(session: try r.read(), reason: try r.read())
        case 5: self = .granted(session: try r.read())
        case 6: self = .shown(session: try r.read(), frame: try r.read())
        case 7: self = .startFailed(session: try r.read(), reason: try r.read())
        case 8: self = .stopped(session: try r.read())
        case 9: self = .replaced(session: try r.read())
        case 10:
            let session = try r.read(UInt32.self)
            switch try r.read(UInt8.self) {
            case 1: self = .action(session: session, .restore)
            case 2: self = .action(session: session, .close)
            case 3: self = .action(session: session, .playPause)
            case 4: self = .action(session: session, .skip(try r.read()))
            case 5: self = .action(session: session, .seek(to: try r.read()))
            case 6: self = .action(session: session, .volume(try r.read()))
            case 7: self = .action(session: session, .mute)
            default: throw MalformedMessage("an unknown action")
            }
        case 11: self = .renderSize(session: try r.read(), width: try r.read(), height: try r.read())
        case 12: self = .settings(startsAutomatically: try r.read())
        case 13: self = .removed(session: try r.read())
        case 14: self = .audio(session: try r.read(), sequence: 0, try AudioReport(from: &r))
        case 15: self = .audioSession(try AudioSessionFacts(from: &r))
        case 16: self = .systemDone
        case 17: self = .audioRoute(try AudioRoute?(from: &r))
        case 18: self = .suspended(session: try r.read(), try r.read())
        case 19: self = .systemState(try SystemSnapshot(from: &r))
        case 21: self = .interfaces(try InterfaceVersions(from: &r))
        case 22: self = .unsupported(message: try r.read(), reason: try r.read())
        case 20:
            self = .audio(session: try r.read(), sequence: try r.read(), try AudioReport(from: &r))
            if case .audio(_, 0, _) = self { throw MalformedMessage("a report without its number") }
        default: throw MalformedMessage("an unknown message")
        }
        try r.finish()
    }
}
