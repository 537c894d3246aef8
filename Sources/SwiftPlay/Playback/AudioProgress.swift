/// The progress of an item's audio from the source to the device: a pure value.
///
/// An opened item starts in ``disconnected``, ``discarded(hasEnded:)`` or ``expected(deadline:)``. A seek returns to
/// that initial state. Audio for the device passes through `expected` → `buffering` → `ready` ⇄ `playing` → `ended`.
/// After a failure in any state the progress is `disconnected`.
enum AudioProgress: Hashable, Sendable {
    /// The item's audio that the audio pipeline writes to the device. The pipeline's reports carry its number.
    struct AcceptedAudio: Hashable, Sendable {
        /// The number that the audio pipeline's reports about this audio carry.
        var number: UInt32
        /// The rate for which the samples are stretched; 1 is the recorded speed.
        var speed: Double
    }

    /// Whether the device has reported its position while it plays the item's audio.
    enum Position: Hashable, Sendable {
        /// No position yet. The clock and the picture wait for the first position until this host time.
        case awaited(until: Int64)
        /// The device has reported a position.
        case known
        /// No position in time: the picture plays without audio until a position is reported.
        case overdue
    }

    /// The destination of decoded audio.
    enum Output: Sendable {
        /// The player has no audio output: audio is discarded.
        case none
        /// The output cannot be opened: audio is not decoded.
        case unavailable
        /// Decoded audio goes to the device.
        case device
    }

    /// The reaction of the player's clock to a position that the device reports.
    enum Correction: Hashable, Sendable {
        /// The clock ignores the position.
        case none
        /// The device's first position: start the clock at this position.
        case start
        /// Correct the clock towards the position.
        case follow
        /// The audio started too far behind the picture: seek to the clock's time, so that the picture does not jump
        /// back.
        case seekToClock
    }

    /// No audio plays: the item has no audio, its track failed, or there is no device.
    case disconnected
    /// Audio is discarded, because the player has no audio output. `hasEnded`: whether the audio's end was reached.
    case discarded(hasEnded: Bool)
    /// The audio pipeline has received no audio of the item since it was opened or since the last seek. After the
    /// deadline (host time) the picture plays without audio.
    case expected(deadline: Int64)
    /// The audio pipeline has too little audio to start.
    case buffering(AcceptedAudio, deadline: Int64)
    /// There is enough audio to start; the device does not play it yet.
    case ready(AcceptedAudio)
    /// The device plays the item's audio.
    case playing(AcceptedAudio, Position)
    /// The device has played the item's audio to its end.
    case ended(AcceptedAudio)

    /// Creates the progress of the audio of an item that was just opened.
    init(hasTrack: Bool, output: Output) {
        self =
            switch output {
            case .none where hasTrack: .discarded(hasEnded: false)
            case .device where hasTrack: .expected(deadline: .max)
            case .none, .unavailable, .device: .disconnected
            }
    }

    // MARK: State

    /// Whether the audio of an open item goes to the device, also after the audio has ended.
    var usesDevice: Bool {
        switch self {
        case .disconnected, .discarded: false
        case .expected, .buffering, .ready, .playing, .ended: true
        }
    }

    /// Whether there is audio for the device that has not been played to its end.
    var isUnfinished: Bool {
        switch self {
        case .disconnected, .discarded, .ended: false
        case .expected, .buffering, .ready, .playing: true
        }
    }

    /// Whether the audio is complete: no more audio of the item follows.
    var hasEnded: Bool {
        switch self {
        case .disconnected, .ended, .discarded(hasEnded: true): true
        case .discarded(hasEnded: false), .expected, .buffering, .ready, .playing: false
        }
    }

    /// Whether the audio pipeline has received enough audio to start.
    var isPrimed: Bool {
        switch self {
        case .disconnected, .discarded, .expected, .buffering: false
        case .ready, .playing, .ended: true
        }
    }

    /// Whether audio is discarded, because the player has no audio output.
    var isDiscarded: Bool { if case .discarded = self { true } else { false } }

    /// The number and speed of the audio that the audio pipeline has accepted; nil before that.
    var acceptedAudio: AcceptedAudio? {
        switch self {
        case .disconnected, .discarded, .expected: nil
        case .buffering(let audio, _), .ready(let audio), .playing(let audio, _), .ended(let audio): audio
        }
    }

    /// The host time until which playback waits for enough audio to start; nil if it does not wait.
    var bufferingDeadline: Int64? {
        switch self {
        case .expected(let deadline), .buffering(_, let deadline): deadline
        case .disconnected, .discarded, .ready, .playing, .ended: nil
        }
    }

    /// The host time until which the clock waits for the device's first position; nil if it does not wait.
    var firstPositionDeadline: Int64? {
        if case .playing(_, .awaited(let deadline)) = self { deadline } else { nil }
    }

    /// Returns whether buffered audio was stretched for another speed than `speed`.
    func isBuffered(forOtherThan speed: Double) -> Bool {
        guard isUnfinished, let audio = acceptedAudio else { return false }
        return audio.speed != speed
    }

    // MARK: Transitions

    /// Handles the start of a seek: the audio pipeline's buffered audio is discarded.
    mutating func restart() {
        self =
            switch self {
            case .disconnected: .disconnected
            case .discarded: .discarded(hasEnded: false)
            case .expected, .buffering, .ready, .playing, .ended: .expected(deadline: .max)
            }
    }

    /// Handles the selection or deselection of an audio track; a seek follows.
    mutating func select(hasTrack: Bool) {
        switch self {
        case .discarded: break
        case .disconnected where hasTrack: self = .expected(deadline: .max)
        case .disconnected, .expected, .buffering, .ready, .playing, .ended: if !hasTrack { self = .disconnected }
        }
    }

    /// Sets the host time until which playback waits for enough audio to start.
    mutating func wait(until deadline: Int64) {
        switch self {
        case .expected: self = .expected(deadline: deadline)
        case .buffering(let audio, _): self = .buffering(audio, deadline: deadline)
        case .disconnected, .discarded, .ready, .playing, .ended: break
        }
    }

    /// Records that the audio pipeline accepts the item's audio. Audio that was accepted before keeps its speed.
    mutating func didAccept(_ audio: AcceptedAudio) {
        guard let bufferingDeadline, acceptedAudio?.number != audio.number else { return }
        self = .buffering(audio, deadline: bufferingDeadline)
    }

    /// Records that the audio pipeline has appended the item's audio to that of the previous item.
    mutating func didAppend(_ audio: AcceptedAudio) {
        guard case .expected = self else { return }
        self = .ready(audio)
    }

    /// Records that the audio pipeline has enough of the audio with this number to start.
    ///
    /// - Returns: Whether the number is that of this item's audio.
    mutating func didPrime(_ number: UInt32) -> Bool {
        guard let audio = acceptedAudio, audio.number == number else { return false }
        if case .buffering = self { self = .ready(audio) }
        return true
    }

    /// Records that the device has played the audio with this number to its end.
    mutating func didPlayToEnd(_ number: UInt32) {
        if let audio = acceptedAudio, audio.number == number { self = .ended(audio) }
    }

    /// Records that the end of discarded audio was reached.
    mutating func didReachEndOfDiscardedAudio() {
        if isDiscarded { self = .discarded(hasEnded: true) }
    }

    /// Records that the device starts to play.
    ///
    /// - Parameter deadline: The host time until which the clock waits for the first position; nil if it does not wait.
    mutating func play(awaitingPositionUntil deadline: Int64?) {
        guard case .ready(let audio) = self else { return }
        self = .playing(audio, deadline.map { .awaited(until: $0) } ?? .known)
    }

    /// Handles a pause: the device keeps the audio that it has.
    mutating func pause() {
        if case .playing(let audio, _) = self { self = .ready(audio) }
    }

    /// Ends the audio: the track or the device failed, or the audio did not start in time.
    mutating func fail() { self = isDiscarded ? .discarded(hasEnded: true) : .disconnected }

    /// Evaluates a reading of the device's position while it plays the item's audio.
    ///
    /// - Parameters:
    ///   - lag: The clock's time minus the position, in nanoseconds of media time; nil if the device reports no
    ///     position.
    ///   - now: The present host time.
    ///   - canSeek: Whether the item is seekable.
    /// - Returns: The reaction of the player's clock to the position.
    mutating func update(lag: Int64?, now: Int64, canSeek: Bool) -> Correction {
        guard case .playing(let audio, let position) = self else { return .none }
        guard let lag else {
            if case .awaited(let deadline) = position, now >= deadline { self = .playing(audio, .overdue) }
            return .none
        }
        self = .playing(audio, .known)
        return switch position {
        case .awaited: .start
        case .known: .follow
        case .overdue: lag > PlaybackClock.jumpThreshold && canSeek ? .seekToClock : .follow
        }
    }
}
