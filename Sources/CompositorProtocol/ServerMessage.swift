import AudioPolicy
import WireFormat

/// A message from the compositor to a program.
package enum ServerMessage: Equatable, Sendable {
    /// Accepts the program. All later messages use this protocol version.
    case welcome(version: UInt16)
    /// Refuses the program, possibly before `hello`: no protocol version in common, or too many connections. The
    /// connection ends, and all requests of the program fail. `reason` is text for the user.
    case refused(reason: String)
    /// The session's surface, such as a window on an X display, is ready. Answers `openSession`.
    case sessionOpened(session: UInt32)
    /// The session's surface, such as a window on an X display, cannot be used or was lost. `reason` is text for the
    /// user.
    case sessionFailed(session: UInt32, reason: String)
    /// The compositor permits the session to open its window, in answer to `requestStart`.
    case granted(session: UInt32)
    /// The first frame is on screen: the program can stop showing frames in its own window.
    case shown(session: UInt32, frame: UInt64)
    /// The session's window could not be opened. `reason` is text for the user.
    case startFailed(session: UInt32, reason: String)
    /// The window is closed. The compositor answers each `stop` and each `stopAnimated` with this message.
    case stopped(session: UInt32)
    /// Another session's window replaces this session's window: the program must close its window with `stop`.
    case replaced(session: UInt32)
    /// The user operated a control of the session's window.
    case action(session: UInt32, Action)
    /// The size in pixels at which the window draws the picture.
    case renderSize(session: UInt32, width: UInt32, height: UInt32)
    /// The compositor removed the window, because the program did not send `stop` in time. Since protocol version 5;
    /// before that version, `stopped` reports the removal.
    case removed(session: UInt32)

    /// The user's setting whether Picture-in-Picture starts automatically, sent after `welcome` and after changes.
    /// Since protocol version 5.
    case settings(startsPictureInPictureAutomatically: Bool)
    /// A report to an audio session. Since protocol version 6. `sequence` increases with each report to any program, so
    /// that reports to different programs can be ordered; 0 in versions before 7.
    case audio(session: UInt32, sequence: UInt64, AudioReport)
    /// The state of one audio session, in answer to `listSessions`. Since protocol version 6.
    case audioSession(AudioSessionSnapshot)
    /// The current audio route, in answer to `listSessions`, before the sessions. Since protocol version 6.
    case audioRoute(AudioRoute?)
    /// Whether floating windows are hidden. `true`: a video call began, the session's window is hidden and no window
    /// can open. `false`: the call ended. Since protocol version 6.
    case suspended(session: UInt32, Bool)
    /// The system-wide conditions, in answer to `listSessions`, before the sessions. Since protocol version 7.
    case systemState(SystemSnapshot)
    /// A `system` request is complete. Since protocol version 6.
    case systemDone
    /// The interfaces that the compositor supports, sent after `welcome`. Since protocol version 9.
    case interfaces(InterfaceVersions)
    /// The compositor ignored a message of the program, because it does not know the number of the message, or of the
    /// request or surface in it. Since protocol version 9.
    case unsupported(message: UInt8, reason: String)
    /// The program's role has changed, or is known for the first time on this connection. Interface `programs`, version
    /// 1.
    case role(ProgramRole)
    /// The state of one program, in answer to `listPrograms`. Interface `system`, version 2.
    case program(ProgramSnapshot)
    /// The machine or the program's control group is short of memory, or no longer. Interface `programs`, version 1.
    case memoryPressure(MemoryPressureLevel)
    /// The program must report its memory (``ProgramReport/memory(_:)``). Interface `programs`, version 2.
    case memoryReportRequested
    /// The program must save its state and exit within 2 s, because memory is short. Interface `programs`, version 2.
    case exitRequested
    /// The memory of one program, in answer to `listMemory`. Interface `system`, version 3.
    case programMemory(ProgramMemory)

    /// An action of the user at a control of the window.
    package enum Action: Equatable, Sendable {
        /// The user pressed the button with the case's name.
        case restore, close, playPause
        /// Skip by this time in nanoseconds; a negative time skips backwards.
        case skip(Int64)
        /// Seek to this position in nanoseconds. Since protocol version 4.
        case seek(to: Int64)
        /// Set the volume, in thousandths as ``AudioState/volume``. Since protocol version 5.
        case volume(UInt16)
        /// Mute or unmute the audio. Since protocol version 5.
        case mute

        /// The first protocol version with the action.
        package var version: UInt16 {
            switch self {
            case .restore, .close, .playPause, .skip: ProtocolVersion.oldest
            case .seek: ProtocolVersion.seeking
            case .volume, .mute: ProtocolVersion.audioState
            }
        }
    }
}

extension ServerMessage {
    /// The bytes of the encoded message.
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
        case .settings(let startsPictureInPictureAutomatically):
            w.write(UInt8(12))
            w.write(startsPictureInPictureAutomatically)
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
        case .audioSession(let snapshot):
            w.write(UInt8(15))
            snapshot.write(to: &w)
        case .systemDone: w.write(UInt8(16))
        case .audioRoute(let route):
            w.write(UInt8(17))
            route.write(to: &w)
        case .suspended(let session, let isSuspended):
            w.write(UInt8(18))
            w.write(session)
            w.write(isSuspended)
        case .systemState(let snapshot):
            w.write(UInt8(19))
            snapshot.write(to: &w)
        case .interfaces(let versions):
            w.write(UInt8(21))
            versions.write(to: &w)
        case .unsupported(let message, let reason):
            w.write(UInt8(22))
            w.write(message)
            w.write(reason)
        case .role(let role):
            w.write(UInt8(23))
            w.write(role.rawValue)
        case .program(let snapshot):
            w.write(UInt8(24))
            snapshot.write(to: &w)
        case .memoryPressure(let level):
            w.write(UInt8(25))
            w.write(level.rawValue)
        case .memoryReportRequested: w.write(UInt8(26))
        case .exitRequested: w.write(UInt8(27))
        case .programMemory(let memory):
            w.write(UInt8(28))
            memory.write(to: &w)
        }
        return w.bytes
    }

    /// Decodes a message.
    ///
    /// - Throws: `MalformedMessage` if the bytes are not a valid message.
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
        case 12: self = .settings(startsPictureInPictureAutomatically: try r.read())
        case 13: self = .removed(session: try r.read())
        case 14: self = .audio(session: try r.read(), sequence: 0, try AudioReport(from: &r))
        case 15: self = .audioSession(try AudioSessionSnapshot(from: &r))
        case 16: self = .systemDone
        case 17: self = .audioRoute(try AudioRoute?(from: &r))
        case 18: self = .suspended(session: try r.read(), try r.read())
        case 19: self = .systemState(try SystemSnapshot(from: &r))
        case 21: self = .interfaces(try InterfaceVersions(from: &r))
        case 22: self = .unsupported(message: try r.read(), reason: try r.read())
        case 23: self = .role(try ProgramRole(from: &r))
        case 24: self = .program(try ProgramSnapshot(from: &r))
        case 25: self = .memoryPressure(try MemoryPressureLevel(from: &r))
        case 26: self = .memoryReportRequested
        case 27: self = .exitRequested
        case 28: self = .programMemory(try ProgramMemory(from: &r))
        case 20:
            self = .audio(session: try r.read(), sequence: try r.read(), try AudioReport(from: &r))
            if case .audio(_, 0, _) = self { throw MalformedMessage("a report without its number") }
        default: throw MalformedMessage("an unknown message")
        }
        try r.expectEnd()
    }
}
