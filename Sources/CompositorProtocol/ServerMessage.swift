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
    /// The machine or the program's control group became short of memory, or is no longer short of it. Interface
    /// `programs`, version 1.
    case memoryPressure(MemoryPressureLevel)
    /// The program must report its memory (``ProgramReport/memory(_:)``). Interface `programs`, version 2.
    case memoryReportRequested
    /// The program must save its state and exit within 2 s, because memory is short. Interface `programs`, version 2.
    case exitRequested
    /// The memory of one program, in answer to `listMemory`. Interface `system`, version 3.
    case programMemory(ProgramMemory)
    /// The program must send its picture (``SnapshotMessage/picture(_:title:)``). Interface `programs`, version 3.
    case snapshotRequested
    /// A program that `close` names has ended, by itself or because it was killed. Interface `system`, version 4.
    case programClosed(processID: Int32, wasKilled: Bool)
    /// The picture of a program, in answer to `listPictures`. Interface `system`, version 4.
    case programPicture(ProgramPicture)
    /// The lists of programs, sessions or pictures have changed since `watchPrograms`. Interface `system`, version 5.
    case programsChanged

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
        var writer = MessageWriter()
        switch self {
        case .welcome(let version):
            writer.write(UInt8(1))
            writer.write(version)
        case .refused(let reason):
            writer.write(UInt8(2))
            writer.write(reason)
        case .sessionOpened(let session):
            writer.write(UInt8(3))
            writer.write(session)
        case .sessionFailed(let session, let reason):
            writer.write(UInt8(4))
            writer.write(session)
            writer.write(reason)
        case .granted(let session):
            writer.write(UInt8(5))
            writer.write(session)
        case .shown(let session, let frame):
            writer.write(UInt8(6))
            writer.write(session)
            writer.write(frame)
        case .startFailed(let session, let reason):
            writer.write(UInt8(7))
            writer.write(session)
            writer.write(reason)
        case .stopped(let session):
            writer.write(UInt8(8))
            writer.write(session)
        case .replaced(let session):
            writer.write(UInt8(9))
            writer.write(session)
        case .action(let session, let action):
            writer.write(UInt8(10))
            writer.write(session)
            switch action {
            case .restore: writer.write(UInt8(1))
            case .close: writer.write(UInt8(2))
            case .playPause: writer.write(UInt8(3))
            case .skip(let time):
                writer.write(UInt8(4))
                writer.write(time)
            case .seek(let time):
                writer.write(UInt8(5))
                writer.write(time)
            case .volume(let volume):
                writer.write(UInt8(6))
                writer.write(volume)
            case .mute: writer.write(UInt8(7))
            }
        case .renderSize(let session, let width, let height):
            writer.write(UInt8(11))
            writer.write(session)
            writer.write(width)
            writer.write(height)
        case .settings(let startsPictureInPictureAutomatically):
            writer.write(UInt8(12))
            writer.write(startsPictureInPictureAutomatically)
        case .removed(let session):
            writer.write(UInt8(13))
            writer.write(session)
        case .audio(let session, 0, let report):
            writer.write(UInt8(14))
            writer.write(session)
            report.write(to: &writer)
        case .audio(let session, let sequence, let report):
            writer.write(UInt8(20))
            writer.write(session)
            writer.write(sequence)
            report.write(to: &writer)
        case .audioSession(let snapshot):
            writer.write(UInt8(15))
            snapshot.write(to: &writer)
        case .systemDone: writer.write(UInt8(16))
        case .audioRoute(let route):
            writer.write(UInt8(17))
            route.write(to: &writer)
        case .suspended(let session, let isSuspended):
            writer.write(UInt8(18))
            writer.write(session)
            writer.write(isSuspended)
        case .systemState(let snapshot):
            writer.write(UInt8(19))
            snapshot.write(to: &writer)
        case .interfaces(let versions):
            writer.write(UInt8(21))
            versions.write(to: &writer)
        case .unsupported(let message, let reason):
            writer.write(UInt8(22))
            writer.write(message)
            writer.write(reason)
        case .role(let role):
            writer.write(UInt8(23))
            writer.write(role.rawValue)
        case .program(let snapshot):
            writer.write(UInt8(24))
            snapshot.write(to: &writer)
        case .memoryPressure(let level):
            writer.write(UInt8(25))
            writer.write(level.rawValue)
        case .memoryReportRequested: writer.write(UInt8(26))
        case .exitRequested: writer.write(UInt8(27))
        case .programMemory(let memory):
            writer.write(UInt8(28))
            memory.write(to: &writer)
        case .snapshotRequested: writer.write(UInt8(29))
        case .programClosed(let processID, let wasKilled):
            writer.write(UInt8(30))
            writer.write(processID)
            writer.write(wasKilled)
        case .programPicture(let picture):
            writer.write(UInt8(31))
            picture.write(to: &writer)
        case .programsChanged: writer.write(UInt8(32))
        }
        return writer.bytes
    }

    /// Decodes a message.
    ///
    /// - Throws: `MalformedMessage` if the bytes are not a valid message.
    package init(decoding bytes: [UInt8]) throws(MalformedMessage) {
        var reader = MessageReader(bytes)
        switch try reader.read(UInt8.self) {
        case 1: self = .welcome(version: try reader.read())
        case 2: self = .refused(reason: try reader.read())
        case 3: self = .sessionOpened(session: try reader.read())
        case 4: self = .sessionFailed(session: try reader.read(), reason: try reader.read())
        case 5: self = .granted(session: try reader.read())
        case 6: self = .shown(session: try reader.read(), frame: try reader.read())
        case 7: self = .startFailed(session: try reader.read(), reason: try reader.read())
        case 8: self = .stopped(session: try reader.read())
        case 9: self = .replaced(session: try reader.read())
        case 10:
            let session = try reader.read(UInt32.self)
            switch try reader.read(UInt8.self) {
            case 1: self = .action(session: session, .restore)
            case 2: self = .action(session: session, .close)
            case 3: self = .action(session: session, .playPause)
            case 4: self = .action(session: session, .skip(try reader.read()))
            case 5: self = .action(session: session, .seek(to: try reader.read()))
            case 6: self = .action(session: session, .volume(try reader.read()))
            case 7: self = .action(session: session, .mute)
            default: throw MalformedMessage("an unknown action")
            }
        case 11: self = .renderSize(session: try reader.read(), width: try reader.read(), height: try reader.read())
        case 12: self = .settings(startsPictureInPictureAutomatically: try reader.read())
        case 13: self = .removed(session: try reader.read())
        case 14: self = .audio(session: try reader.read(), sequence: 0, try AudioReport(from: &reader))
        case 15: self = .audioSession(try AudioSessionSnapshot(from: &reader))
        case 16: self = .systemDone
        case 17: self = .audioRoute(try AudioRoute?(from: &reader))
        case 18: self = .suspended(session: try reader.read(), try reader.read())
        case 19: self = .systemState(try SystemSnapshot(from: &reader))
        case 21: self = .interfaces(try InterfaceVersions(from: &reader))
        case 22: self = .unsupported(message: try reader.read(), reason: try reader.read())
        case 23: self = .role(try ProgramRole(from: &reader))
        case 24: self = .program(try ProgramSnapshot(from: &reader))
        case 25: self = .memoryPressure(try MemoryPressureLevel(from: &reader))
        case 26: self = .memoryReportRequested
        case 27: self = .exitRequested
        case 28: self = .programMemory(try ProgramMemory(from: &reader))
        case 29: self = .snapshotRequested
        case 30: self = .programClosed(processID: try reader.read(), wasKilled: try reader.read())
        case 31: self = .programPicture(try ProgramPicture(from: &reader))
        case 32: self = .programsChanged
        case 20:
            self = .audio(session: try reader.read(), sequence: try reader.read(), try AudioReport(from: &reader))
            if case .audio(_, 0, _) = self { throw MalformedMessage("a report without its number") }
        default: throw MalformedMessage("an unknown message")
        }
        try reader.expectEnd()
    }
}
