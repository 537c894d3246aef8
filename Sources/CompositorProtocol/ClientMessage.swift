import SharedFrames
import WireFormat

/// What a program says to the compositor. Sessions, slots and formats are named by numbers that the program chose.
package enum ClientMessage: Equatable, Sendable {
    /// First of all. `current` and `oldest` are the protocol versions that the program understands.
    case hello(current: UInt16, oldest: UInt16, program: String)
    /// A picture that may go to Picture-in-Picture. With it three descriptors: the ring of frames (read by the
    /// compositor), the ring of releases (written by it), and the event of the first. For a terminal two more: the
    /// terminal, and the memory that says which cells of it are the compositor's.
    case openSession(session: UInt32, surface: Surface)
    /// The memory of a frame, with its descriptor.
    case slot(session: UInt32, slot: UInt32)
    /// The slot's memory will not be named again.
    case dropSlot(session: UInt32, slot: UInt32)
    /// A format, named in ring entries from now on.
    case format(session: UInt32, number: UInt32, format: FrameFormat)
    /// May this session's window open? Answered with `granted` or `startFailed`.
    case requestStart(session: UInt32)
    /// Open it: the first frame is in the ring.
    case start(session: UInt32)
    /// Close it.
    case stop(session: UInt32)
    /// What the controls show.
    case playback(session: UInt32, PlaybackFacts)
    case closeSession(session: UInt32)
    /// What lies over the picture from now on, with the memory file of its pixels. Version 3.
    case overlay(session: UInt32, shape: OverlayShape)
    /// Nothing lies over it any more. Version 3.
    case clearOverlay(session: UInt32)
    /// As `start`; the window comes from `origin`, where on the screen the picture was seen. Version 5.
    case startFrom(session: UInt32, origin: PixelRect)
    /// Close it when it has flown to `place`, where on the screen the picture is seen again. Version 5.
    case land(session: UInt32, place: PixelRect)
    /// How loud it is. Version 5.
    case sound(session: UInt32, SoundFacts)
    /// Whether the controls let the user skip and seek. They do until this is said. Version 5.
    case setLinear(session: UInt32, Bool)
    /// The memory of the session's terminal says something else, or what stood in the cells there was lost. Version 5.
    case placeChanged(session: UInt32)
    /// Of an audio session, by a number of its own. Version 6.
    case audio(session: UInt32, AudioRequest)
    /// Something happens to the whole machine. Version 6. The condition that it begins ends with the connection, unless
    /// `isKept`: then it is a user's command and holds until another one (version 7; in version 6 every event is kept).
    case system(SystemRequest, isKept: Bool)
    /// Whether the program waits for media: a stall, or a seek whose picture has not come yet. It does not until this
    /// is said. Version 8.
    case buffering(session: UInt32, Bool)
    /// The interfaces that the program speaks, as answer to the compositor's. Version 9.
    case interfaces(InterfaceVersions)

    /// Where a window is opened.
    package enum Surface: Equatable, Sendable {
        /// An X display by name, and the file with its cookie ("" for the usual one).
        case x11(display: String, authority: String)
        /// Nowhere: frames are taken in time and released.
        case headless
        /// A part of the program's terminal, in characters. Version 5.
        case terminal(TerminalKind)
    }
}

/// What can be drawn on a terminal.
package struct TerminalKind: Equatable, Sendable {
    package enum Colours: UInt8, Sendable {
        case sixteen = 1
        case palette = 2
        case direct = 3
    }

    package var colours: Colours
    /// Its font has half blocks at most.
    package var halvesOnly: Bool
    package init(colours: Colours, halvesOnly: Bool) {
        self.colours = colours
        self.halvesOnly = halvesOnly
    }
}

/// What the controls of a floating window show.
package struct PlaybackFacts: Equatable, Sendable {
    package let isPaused: Bool
    /// Nanoseconds; within ``timeLimit`` on both sides of 0.
    package let position: Int64
    /// Nanoseconds, up to ``timeLimit``; 0 = unknown.
    package let duration: Int64

    /// The longest time that a message may carry: 36 years in nanoseconds. Sums of a few such times, and their
    /// conversion to `Double` and back, never overflow.
    package static let timeLimit: Int64 = 1 << 60

    /// Clamps both times to ``timeLimit``, and the duration to 0 or more.
    package init(isPaused: Bool, position: Int64, duration: Int64) {
        self.isPaused = isPaused
        self.position = max(-Self.timeLimit, min(position, Self.timeLimit))
        self.duration = max(0, min(duration, Self.timeLimit))
    }
}

/// What the volume control of a floating window shows.
package struct SoundFacts: Equatable, Sendable {
    /// As it is felt, thousandths: 1000 is the sound as it was made, its cube root's place on a slider.
    package var volume: UInt16
    package var isMuted: Bool
    package init(volume: UInt16, isMuted: Bool) {
        self.volume = volume
        self.isMuted = isMuted
    }
}

extension ClientMessage {
    /// How many descriptors come with the message.
    package var descriptorCount: Int {
        switch self {
        case .openSession(_, .terminal): 5
        case .openSession: 3
        case .slot, .overlay, .audio(_, .open): 1
        default: 0
        }
    }

    /// The first version of the protocol that knows the message: it is not said to an older compositor.
    package var version: UInt16 {
        switch self {
        case .setLinear: ProtocolVersion.linear
        case .placeChanged: ProtocolVersion.terminals
        case .system(_, isKept: true), .system(.deviceChosen, _): ProtocolVersion.leases
        case .audio(_, let request): request.version
        case .system: ProtocolVersion.audio
        case .startFrom, .land: ProtocolVersion.flights
        case .sound: ProtocolVersion.sound
        case .overlay, .clearOverlay: ProtocolVersion.overlays
        case .buffering: ProtocolVersion.buffering
        case .interfaces: ProtocolVersion.interfaces
        default: ProtocolVersion.oldest
        }
    }

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
            case .terminal(let kind):
                w.write(UInt8(3))
                w.write(kind.colours.rawValue)
                w.write(kind.halvesOnly)
            }
        case .slot(let session, let slot):
            w.write(UInt8(3))
            w.write(session)
            w.write(slot)
        case .dropSlot(let session, let slot):
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
        case .playback(let session, let facts):
            w.write(UInt8(9))
            w.write(session)
            w.write(facts.isPaused)
            w.write(facts.position)
            w.write(facts.duration)
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
        case .startFrom(let session, let origin):
            w.write(UInt8(13))
            w.write(session)
            origin.writePlace(to: &w)
        case .sound(let session, let sound):
            w.write(UInt8(15))
            w.write(session)
            w.write(sound.volume)
            w.write(sound.isMuted)
        case .placeChanged(let session):
            w.write(UInt8(17))
            w.write(session)
        case .land(let session, let place):
            w.write(UInt8(14))
            w.write(session)
            place.writePlace(to: &w)
        case .setLinear(let session, let isLinear):
            w.write(UInt8(16))
            w.write(session)
            w.write(isLinear)
        case .audio(let session, let request):
            w.write(UInt8(18))
            w.write(session)
            request.write(to: &w)
        case .system(let request, let isKept):
            w.write(UInt8(isKept ? 20 : 19))
            request.write(to: &w)
        case .buffering(let session, let isBuffering):
            w.write(UInt8(21))
            w.write(session)
            w.write(isBuffering)
        case .interfaces(let versions):
            w.write(UInt8(22))
            versions.write(to: &w)
        }
        return w.bytes
    }

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
                guard let colours = TerminalKind.Colours(rawValue: try r.read()) else {
                    throw MalformedMessage("an unknown kind of colours")
                }
                self = .openSession(
                    session: session, surface: .terminal(TerminalKind(colours: colours, halvesOnly: try r.read())))
            default: throw MalformedMessage("an unknown kind of surface", isUnknown: true)
            }
        case 3: self = .slot(session: try r.read(), slot: try r.read())
        case 4: self = .dropSlot(session: try r.read(), slot: try r.read())
        case 5: self = .format(session: try r.read(), number: try r.read(), format: try FrameFormat(from: &r))
        case 6: self = .requestStart(session: try r.read())
        case 7: self = .start(session: try r.read())
        case 8: self = .stop(session: try r.read())
        case 9:
            let session = try r.read(UInt32.self)
            let isPaused = try r.read(Bool.self), position = try r.read(Int64.self), duration = try r.read(Int64.self)
            // Older libraries do not clamp the times of an item whose file claims absurd ones.
            self = .playback(
                session: session, PlaybackFacts(isPaused: isPaused, position: position, duration: duration))
        case 10: self = .closeSession(session: try r.read())
        case 11: self = .overlay(session: try r.read(), shape: try OverlayShape(from: &r))
        case 12: self = .clearOverlay(session: try r.read())
        case 13: self = .startFrom(session: try r.read(), origin: try PixelRect(placeFrom: &r))
        case 14: self = .land(session: try r.read(), place: try PixelRect(placeFrom: &r))
        case 15: self = .sound(session: try r.read(), SoundFacts(volume: try r.read(), isMuted: try r.read()))
        case 16: self = .setLinear(session: try r.read(), try r.read())
        case 17: self = .placeChanged(session: try r.read())
        case 18: self = .audio(session: try r.read(), try AudioRequest(from: &r))
        case 19: self = .system(try SystemRequest(from: &r), isKept: false)
        case 20: self = .system(try SystemRequest(from: &r), isKept: true)
        case 21: self = .buffering(session: try r.read(), try r.read())
        case 22: self = .interfaces(try InterfaceVersions(from: &r))
        default: throw MalformedMessage("an unknown message", isUnknown: true)
        }
        try r.finish()
    }
}
