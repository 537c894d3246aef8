import SharedFrames
import WireFormat

/// A message from a program to the compositor. The program chooses the numbers of sessions, memory slots and frame
/// formats.
package enum ClientMessage: Equatable, Sendable {
    /// The first message of a program. `current` and `oldest` are the newest and the oldest protocol version of the
    /// program.
    case hello(current: UInt16, oldest: UInt16, program: String)
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
        var w = MessageWriter()
        switch self {
        case .hello(let current, let oldest, let program):
            w.write(UInt8(1))
            w.write(current)
            w.write(oldest)
            w.write(program)
        case .openSession(let session, let surface):
            w.write(UInt8(2))
            w.write(session)
            switch surface {
            case .x11(let display, let authority):
                w.write(UInt8(1))
                w.write(display)
                w.write(authority)
            case .headless: w.write(UInt8(2))
            case .terminal(let features):
                w.write(UInt8(3))
                w.write(features.colours.rawValue)
                w.write(features.hasOnlyHalfBlocks)
            }
        case .addSlot(let session, let slot):
            w.write(UInt8(3))
            w.write(session)
            w.write(slot)
        case .removeSlot(let session, let slot):
            w.write(UInt8(4))
            w.write(session)
            w.write(slot)
        case .format(let session, let number, let format):
            w.write(UInt8(5))
            w.write(session)
            w.write(number)
            format.write(to: &w)
        case .requestStart(let session):
            w.write(UInt8(6))
            w.write(session)
        case .start(let session):
            w.write(UInt8(7))
            w.write(session)
        case .stop(let session):
            w.write(UInt8(8))
            w.write(session)
        case .playback(let session, let state):
            w.write(UInt8(9))
            w.write(session)
            w.write(state.isPaused)
            w.write(state.position)
            w.write(state.duration)
        case .closeSession(let session):
            w.write(UInt8(10))
            w.write(session)
        case .overlay(let session, let shape):
            w.write(UInt8(11))
            w.write(session)
            shape.write(to: &w)
        case .clearOverlay(let session):
            w.write(UInt8(12))
            w.write(session)
        case .startAnimated(let session, let origin):
            w.write(UInt8(13))
            w.write(session)
            origin.write(to: &w)
        case .audioState(let session, let audio):
            w.write(UInt8(15))
            w.write(session)
            w.write(audio.volume)
            w.write(audio.isMuted)
        case .terminalCellsChanged(let session):
            w.write(UInt8(17))
            w.write(session)
        case .stopAnimated(let session, let place):
            w.write(UInt8(14))
            w.write(session)
            place.write(to: &w)
        case .setRequiresLinearPlayback(let session, let requiresLinearPlayback):
            w.write(UInt8(16))
            w.write(session)
            w.write(requiresLinearPlayback)
        case .audio(let session, let request):
            w.write(UInt8(18))
            w.write(session)
            request.write(to: &w)
        case .system(let request, let isPersistent):
            w.write(UInt8(isPersistent ? 20 : 19))
            request.write(to: &w)
        case .buffering(let session, let isBuffering):
            w.write(UInt8(21))
            w.write(session)
            w.write(isBuffering)
        case .interfaces(let versions):
            w.write(UInt8(22))
            versions.write(to: &w)
        case .loaded(let session, let until):
            w.write(UInt8(23))
            w.write(session)
            w.write(until)
        case .presence(let presence):
            w.write(UInt8(24))
            w.write(presence.rawValue)
        case .report(let report):
            w.write(UInt8(25))
            report.write(to: &w)
        case .overlayText(let session, let text):
            w.write(UInt8(26))
            w.write(session)
            w.write(text)
        }
        return w.bytes
    }

    /// Decodes a message.
    ///
    /// - Throws: `MalformedMessage` if the bytes are not a valid message.
    package init(decoding bytes: [UInt8]) throws(MalformedMessage) {
        var r = MessageReader(bytes)
        switch try r.read(UInt8.self) {
        case 1: self = .hello(current: try r.read(), oldest: try r.read(), program: try r.read())
        case 2:
            let session = try r.read(UInt32.self)
            switch try r.read(UInt8.self) {
            case 1: self = .openSession(session: session, surface: .x11(display: try r.read(), authority: try r.read()))
            case 2: self = .openSession(session: session, surface: .headless)
            case 3:
                guard let colours = TerminalFeatures.Colours(rawValue: try r.read()) else {
                    throw MalformedMessage("an unknown kind of colours")
                }
                self = .openSession(
                    session: session,
                    surface: .terminal(TerminalFeatures(colours: colours, hasOnlyHalfBlocks: try r.read())))
            default: throw MalformedMessage("an unknown kind of surface", isUnknown: true)
            }
        case 3: self = .addSlot(session: try r.read(), slot: try r.read())
        case 4: self = .removeSlot(session: try r.read(), slot: try r.read())
        case 5: self = .format(session: try r.read(), number: try r.read(), format: try FrameFormat(from: &r))
        case 6: self = .requestStart(session: try r.read())
        case 7: self = .start(session: try r.read())
        case 8: self = .stop(session: try r.read())
        case 9:
            let session = try r.read(UInt32.self)
            let isPaused = try r.read(Bool.self), position = try r.read(Int64.self), duration = try r.read(Int64.self)
            // Libraries before protocol version 9 do not clamp the implausible times of damaged files; `PlaybackState`
            // clamps these times.
            self = .playback(
                session: session, PlaybackState(isPaused: isPaused, position: position, duration: duration))
        case 10: self = .closeSession(session: try r.read())
        case 11: self = .overlay(session: try r.read(), shape: try OverlayShape(from: &r))
        case 12: self = .clearOverlay(session: try r.read())
        case 13: self = .startAnimated(session: try r.read(), origin: try PixelRect(from: &r))
        case 14: self = .stopAnimated(session: try r.read(), place: try PixelRect(from: &r))
        case 15: self = .audioState(session: try r.read(), AudioState(volume: try r.read(), isMuted: try r.read()))
        case 16: self = .setRequiresLinearPlayback(session: try r.read(), try r.read())
        case 17: self = .terminalCellsChanged(session: try r.read())
        case 18: self = .audio(session: try r.read(), try AudioRequest(from: &r))
        case 19: self = .system(try SystemRequest(from: &r), isPersistent: false)
        case 20: self = .system(try SystemRequest(from: &r), isPersistent: true)
        case 21: self = .buffering(session: try r.read(), try r.read())
        case 22: self = .interfaces(try InterfaceVersions(from: &r))
        case 23:
            let session = try r.read(UInt32.self), until = try r.read(Int64.self)
            guard (0...PlaybackState.timeLimit).contains(until) else {
                throw MalformedMessage("a position out of range")
            }
            self = .loaded(session: session, until: until)
        case 24: self = .presence(try ProgramPresence(from: &r))
        case 25: self = .report(try ProgramReport(from: &r))
        case 26: self = .overlayText(session: try r.read(), try r.read())
        default: throw MalformedMessage("an unknown message", isUnknown: true)
        }
        try r.expectEnd()
    }
}
