import SharedFrames
import WireFormat

/// A message from a program to the compositor. The program chooses the numbers of sessions, memory slots and frame
/// formats.
package enum ClientMessage: Equatable, Sendable {
    /// The first message of a program. `newest` and `oldest` are the newest and the oldest protocol version of the
    /// program.
    case hello(newest: UInt16, oldest: UInt16, program: String)
    /// Opens a Picture-in-Picture session. Three descriptors come with it: the ring of frames to show (``FrameEntry``),
    /// the ring of released frames (``ReleasedFrame``), and the event that signals new frames. For a terminal two more:
    /// the terminal, and the memory that assigns cells of the terminal to the compositor.
    case openSession(session: UInt32, surface: Surface)
    /// Announces a memory slot: frame memory to which later frames refer by the number `slot`. The memory's descriptor
    /// comes with the message.
    case addSlot(session: UInt32, slot: UInt32)
    /// Withdraws the memory slot `slot`: no further frame uses it.
    case removeSlot(session: UInt32, slot: UInt32)
    /// Announces a frame format, to which later frames refer by `number`.
    case format(session: UInt32, number: UInt32, format: FrameFormat)
    /// Requests permission to open the session's window. Answered with `granted` or `startFailed`.
    case requestStart(session: UInt32)
    /// Opens the window that the compositor granted. The first frame is already in the shared ring.
    case start(session: UInt32)
    /// Closes the session's window. Answered with `stopped`.
    case stop(session: UInt32)
    /// Sets the playback state that the controls of the window show.
    case playback(session: UInt32, PlaybackState)
    /// Ends the Picture-in-Picture session and releases its memory.
    case closeSession(session: UInt32)
    /// Sets the overlay of the picture, such as subtitles; the memory file of its pixels comes with it. Since protocol
    /// version 3.
    case overlay(session: UInt32, shape: OverlayShape)
    /// Removes the overlay of the picture. Since protocol version 3.
    case clearOverlay(session: UInt32)
    /// Opens the window like `start`, with an animation from `origin`, the picture's rectangle on the screen. Since
    /// protocol version 5.
    case startAnimated(session: UInt32, origin: PixelRect)
    /// Closes the window after an animation to `place`, the rectangle of the program's video layer on the screen.
    /// Answered with `stopped`. Since protocol version 5.
    case stopAnimated(session: UInt32, place: PixelRect)
    /// Sets the volume state that the controls of the window show. Since protocol version 5.
    case audioState(session: UInt32, AudioState)
    /// Sets whether the window's controls disable skipping and seeking. The default is false. Since protocol version 5.
    case setRequiresLinearPlayback(session: UInt32, Bool)
    /// The cells of the terminal that are reserved for the picture changed, or their contents were lost. Since protocol
    /// version 5.
    case terminalCellsChanged(session: UInt32)
    /// A request about an audio session. Audio sessions are numbered separately from Picture-in-Picture sessions. Since
    /// protocol version 6.
    case audio(session: UInt32, AudioRequest)
    /// Announces or queries a system-wide condition, such as a phone call. Since protocol version 6. The condition ends
    /// when the connection closes, unless `isPersistent`: then a user has set the condition, and it holds until the
    /// next command (protocol version 7; in version 6 every condition outlives its connection).
    case system(SystemRequest, isPersistent: Bool)
    /// Sets whether the program waits for media, because of a stall or a pending seek. The default is false. Since
    /// protocol version 8.
    case buffering(session: UInt32, Bool)
    /// Sets the position in nanoseconds, 0 to ``PlaybackState/timeLimit``, up to which the item is loaded ahead of
    /// playback. 0, the default, hides the loaded part. Since version 2 of the interface `windows`.
    case loaded(session: UInt32, until: Int64)
    /// The text of the next overlay, for a surface that draws characters. Since version 3 of the interface `windows`.
    case overlayText(session: UInt32, String)
    /// Reports the state of the program's windows. The compositor answers with ``ServerMessage/role(_:)``, now and
    /// after each change. Since version 1 of the interface `programs`.
    case presence(ProgramPresence)
    /// A report of the program about itself. Since version 2 of the interface `programs`.
    case report(ProgramReport)
    /// The interfaces that the program supports, in answer to the compositor's list. Since protocol version 9.
    case interfaces(InterfaceVersions)
    /// A message about the program's picture in the overview. Since version 3 of the interface `programs`.
    case snapshot(SnapshotMessage)

    /// The kind of surface on which the window of a session opens.
    package enum Surface: Equatable, Sendable {
        /// An X display, and the path of its authority file ("" for the default file).
        case x11(display: String, authority: String)
        /// No visible window: each frame counts as shown at once, and is never drawn.
        case headless
        /// Character cells of the program's terminal. Since protocol version 5.
        case terminal(TerminalFeatures)
    }
}

extension ClientMessage {
    /// The bytes of the encoded message.
    package var encoded: [UInt8] {
        var writer = MessageWriter()
        switch self {
        case .hello(let newest, let oldest, let program):
            writer.write(UInt8(1))
            writer.write(newest)
            writer.write(oldest)
            writer.write(program)
        case .openSession(let session, let surface):
            writer.write(UInt8(2))
            writer.write(session)
            switch surface {
            case .x11(let display, let authority):
                writer.write(UInt8(1))
                writer.write(display)
                writer.write(authority)
            case .headless: writer.write(UInt8(2))
            case .terminal(let features):
                writer.write(UInt8(3))
                writer.write(features.colours.rawValue)
                writer.write(features.hasOnlyHalfBlocks)
            }
        case .addSlot(let session, let slot):
            writer.write(UInt8(3))
            writer.write(session)
            writer.write(slot)
        case .removeSlot(let session, let slot):
            writer.write(UInt8(4))
            writer.write(session)
            writer.write(slot)
        case .format(let session, let number, let format):
            writer.write(UInt8(5))
            writer.write(session)
            writer.write(number)
            format.write(to: &writer)
        case .requestStart(let session):
            writer.write(UInt8(6))
            writer.write(session)
        case .start(let session):
            writer.write(UInt8(7))
            writer.write(session)
        case .stop(let session):
            writer.write(UInt8(8))
            writer.write(session)
        case .playback(let session, let state):
            writer.write(UInt8(9))
            writer.write(session)
            writer.write(state.isPaused)
            writer.write(state.position)
            writer.write(state.duration)
        case .closeSession(let session):
            writer.write(UInt8(10))
            writer.write(session)
        case .overlay(let session, let shape):
            writer.write(UInt8(11))
            writer.write(session)
            shape.write(to: &writer)
        case .clearOverlay(let session):
            writer.write(UInt8(12))
            writer.write(session)
        case .startAnimated(let session, let origin):
            writer.write(UInt8(13))
            writer.write(session)
            origin.write(to: &writer)
        case .audioState(let session, let audio):
            writer.write(UInt8(15))
            writer.write(session)
            writer.write(audio.volume)
            writer.write(audio.isMuted)
        case .terminalCellsChanged(let session):
            writer.write(UInt8(17))
            writer.write(session)
        case .stopAnimated(let session, let place):
            writer.write(UInt8(14))
            writer.write(session)
            place.write(to: &writer)
        case .setRequiresLinearPlayback(let session, let requiresLinearPlayback):
            writer.write(UInt8(16))
            writer.write(session)
            writer.write(requiresLinearPlayback)
        case .audio(let session, let request):
            writer.write(UInt8(18))
            writer.write(session)
            request.write(to: &writer)
        case .system(let request, let isPersistent):
            writer.write(UInt8(isPersistent ? 20 : 19))
            request.write(to: &writer)
        case .buffering(let session, let isBuffering):
            writer.write(UInt8(21))
            writer.write(session)
            writer.write(isBuffering)
        case .interfaces(let versions):
            writer.write(UInt8(22))
            versions.write(to: &writer)
        case .loaded(let session, let until):
            writer.write(UInt8(23))
            writer.write(session)
            writer.write(until)
        case .presence(let presence):
            writer.write(UInt8(24))
            writer.write(presence.rawValue)
        case .report(let report):
            writer.write(UInt8(25))
            report.write(to: &writer)
        case .overlayText(let session, let text):
            writer.write(UInt8(26))
            writer.write(session)
            writer.write(text)
        case .snapshot(let message):
            writer.write(UInt8(27))
            message.write(to: &writer)
        }
        return writer.bytes
    }

    /// Decodes a message.
    ///
    /// - Throws: `MalformedMessage` if the bytes are not a valid message.
    package init(decoding bytes: [UInt8]) throws(MalformedMessage) {
        var reader = MessageReader(bytes)
        switch try reader.read(UInt8.self) {
        case 1: self = .hello(newest: try reader.read(), oldest: try reader.read(), program: try reader.read())
        case 2:
            let session = try reader.read(UInt32.self)
            switch try reader.read(UInt8.self) {
            case 1:
                self = .openSession(
                    session: session, surface: .x11(display: try reader.read(), authority: try reader.read()))
            case 2: self = .openSession(session: session, surface: .headless)
            case 3:
                guard let colours = TerminalFeatures.Colours(rawValue: try reader.read()) else {
                    throw MalformedMessage("an unknown kind of colours")
                }
                self = .openSession(
                    session: session,
                    surface: .terminal(TerminalFeatures(colours: colours, hasOnlyHalfBlocks: try reader.read())))
            default: throw MalformedMessage("an unknown kind of surface", isUnknown: true)
            }
        case 3: self = .addSlot(session: try reader.read(), slot: try reader.read())
        case 4: self = .removeSlot(session: try reader.read(), slot: try reader.read())
        case 5:
            self = .format(
                session: try reader.read(), number: try reader.read(), format: try FrameFormat(from: &reader))
        case 6: self = .requestStart(session: try reader.read())
        case 7: self = .start(session: try reader.read())
        case 8: self = .stop(session: try reader.read())
        case 9:
            let session = try reader.read(UInt32.self)
            let isPaused = try reader.read(Bool.self), position = try reader.read(Int64.self),
                duration = try reader.read(Int64.self)
            // Libraries before protocol version 9 do not clamp the implausible times of damaged files; `PlaybackState`
            // clamps these times.
            self = .playback(
                session: session, PlaybackState(isPaused: isPaused, position: position, duration: duration))
        case 10: self = .closeSession(session: try reader.read())
        case 11: self = .overlay(session: try reader.read(), shape: try OverlayShape(from: &reader))
        case 12: self = .clearOverlay(session: try reader.read())
        case 13: self = .startAnimated(session: try reader.read(), origin: try PixelRect(from: &reader))
        case 14: self = .stopAnimated(session: try reader.read(), place: try PixelRect(from: &reader))
        case 15:
            self = .audioState(
                session: try reader.read(), AudioState(volume: try reader.read(), isMuted: try reader.read()))
        case 16: self = .setRequiresLinearPlayback(session: try reader.read(), try reader.read())
        case 17: self = .terminalCellsChanged(session: try reader.read())
        case 18: self = .audio(session: try reader.read(), try AudioRequest(from: &reader))
        case 19: self = .system(try SystemRequest(from: &reader), isPersistent: false)
        case 20: self = .system(try SystemRequest(from: &reader), isPersistent: true)
        case 21: self = .buffering(session: try reader.read(), try reader.read())
        case 22: self = .interfaces(try InterfaceVersions(from: &reader))
        case 23:
            let session = try reader.read(UInt32.self), until = try reader.read(Int64.self)
            guard (0...PlaybackState.timeLimit).contains(until) else {
                throw MalformedMessage("a position out of range")
            }
            self = .loaded(session: session, until: until)
        case 24: self = .presence(try ProgramPresence(from: &reader))
        case 25: self = .report(try ProgramReport(from: &reader))
        case 26: self = .overlayText(session: try reader.read(), try reader.read())
        case 27: self = .snapshot(try SnapshotMessage(from: &reader))
        default: throw MalformedMessage("an unknown message", isUnknown: true)
        }
        try reader.expectEnd()
    }
}
