import AudioPolicy
import WireFormat

/// A request of a program about one of its audio sessions. Since protocol version 6.
package enum AudioRequest: Equatable, Sendable {
    /// Opens an inactive session with the default configuration. One descriptor comes with the request: the shared page
    /// through which the compositor sets the gain of the session's render threads.
    case open(mayPlayInBackground: Bool)
    /// Sets the session's category, mode and options. Answered with `done`.
    case configure(AudioConfiguration)
    /// Activates the session. Answered with `activated` or `refused`. `hasGesture`: a user's action caused the request.
    case activate(hasGesture: Bool)
    /// Deactivates the session. `notifiesOthers`: the sessions that it interrupted may resume. Answered with `done`.
    case deactivate(notifiesOthers: Bool)
    /// Reports whether the session renders audio. Sent whenever rendering starts or stops.
    case running(Bool)
    /// Reports the visibility of the program's windows. Applies to all sessions of the program.
    case visibility(AudioArbiter.Visibility)
    /// Sets whether phone calls that are shown as a banner do not interrupt the session.
    case prefersNoInterruptions(Bool)
    /// Closes the audio session.
    case close
    /// Declares whether the program plays in the background and while the screen is locked. Applies to all its
    /// sessions. Since protocol version 7.
    case mayPlayInBackground(Bool)
    /// Sets whether removing the session's audio device interrupts it (default: true). Since protocol version 7.
    case prefersInterruptionOnRouteDisconnect(Bool)
    /// Moves audio to the sound server's speaker port, or back. Answered with `outputOverride`. Since version 9.
    case overrideOutput(isSpeaker: Bool)

    /// The first protocol version with the request.
    var version: UInt16 {
        switch self {
        case .mayPlayInBackground, .prefersInterruptionOnRouteDisconnect: ProtocolVersion.backgroundAudio
        case .overrideOutput: ProtocolVersion.outputOverride
        default: ProtocolVersion.audio
        }
    }
}

/// A report of the compositor to one audio session. Since protocol version 6.
package enum AudioReport: Equatable, Sendable {
    /// The session is active. The values are host times in nanoseconds, 0 for no wait. From `othersSilentAt` on, the
    /// interrupted sessions are silent and this session may become audible; from `othersDuckedAt` on, the ducked
    /// sessions are attenuated.
    case activated(othersSilentAt: Int64, othersDuckedAt: Int64)
    /// The session was not activated; the error gives the reason.
    case refused(AudioSessionErrorCode)
    /// A deactivation or configuration is complete; the error is `nil` on success.
    case done(AudioSessionErrorCode?)
    /// An interruption began or ended, or the program should change its secondary audio.
    case notice(AudioArbiter.Notice)
    /// The compositor reset media services and closed the session.
    case reset
    /// The properties of the session that its program can read. Sent after each change.
    case properties(AudioArbiter.Properties)
    /// The current audio route, sent once it is known; `nil` if no output exists.
    case route(AudioRoute?)
    /// The audio route changed. Sessions that must be silent on the new route are silent already.
    case routeChange(RouteChange)
    /// The outcome of `overrideOutput`; outcomes arrive in the order of their requests. Since protocol version 9.
    case outputOverride(OutputOverrideOutcome)
}

extension AudioRequest {
    func write(to writer: inout MessageWriter) {
        switch self {
        case .open(let mayPlay):
            writer.write(UInt8(1))
            writer.write(mayPlay)
        case .configure(let configuration):
            writer.write(UInt8(2))
            configuration.write(to: &writer)
        case .activate(let hasGesture):
            writer.write(UInt8(3))
            writer.write(hasGesture)
        case .deactivate(let notifiesOthers):
            writer.write(UInt8(4))
            writer.write(notifiesOthers)
        case .running(let isRunning):
            writer.write(UInt8(5))
            writer.write(isRunning)
        case .visibility(let visibility):
            writer.write(UInt8(6))
            writer.write(visibility.wireValue)
        case .prefersNoInterruptions(let prefers):
            writer.write(UInt8(7))
            writer.write(prefers)
        case .close: writer.write(UInt8(8))
        case .mayPlayInBackground(let mayPlay):
            writer.write(UInt8(9))
            writer.write(mayPlay)
        case .prefersInterruptionOnRouteDisconnect(let prefers):
            writer.write(UInt8(10))
            writer.write(prefers)
        case .overrideOutput(let isSpeaker):
            writer.write(UInt8(11))
            writer.write(isSpeaker)
        }
    }

    init(from reader: inout MessageReader) throws(MalformedMessage) {
        switch try reader.read(UInt8.self) {
        case 1: self = .open(mayPlayInBackground: try reader.read())
        case 2: self = .configure(try AudioConfiguration(from: &reader))
        case 3: self = .activate(hasGesture: try reader.read())
        case 4: self = .deactivate(notifiesOthers: try reader.read())
        case 5: self = .running(try reader.read())
        case 6: self = .visibility(try AudioArbiter.Visibility(from: &reader))
        case 7: self = .prefersNoInterruptions(try reader.read())
        case 8: self = .close
        case 9: self = .mayPlayInBackground(try reader.read())
        case 10: self = .prefersInterruptionOnRouteDisconnect(try reader.read())
        case 11: self = .overrideOutput(isSpeaker: try reader.read())
        default: throw MalformedMessage("an unknown audio request", isUnknown: true)
        }
    }
}

extension AudioReport {
    func write(to writer: inout MessageWriter) {
        switch self {
        case .activated(let othersSilentAt, let othersDuckedAt):
            writer.write(UInt8(1))
            writer.write(othersSilentAt)
            writer.write(othersDuckedAt)
        case .refused(let code):
            writer.write(UInt8(2))
            writer.write(code.rawValue)
        // The number 0 in the message means success: no error code has this value.
        case .done(let code):
            writer.write(UInt8(3))
            writer.write(code?.rawValue ?? 0)
        case .notice(.began(let reason)):
            writer.write(UInt8(4))
            writer.write(reason.wireValue)
        case .notice(.ended(let shouldResume)):
            writer.write(UInt8(5))
            writer.write(shouldResume)
        case .notice(.silenceSecondaryAudioHint(let isSilent)):
            writer.write(UInt8(6))
            writer.write(isSilent)
        case .reset: writer.write(UInt8(8))
        case .properties(let properties):
            writer.write(UInt8(7))
            writer.write(properties.isOtherAudioPlaying)
            writer.write(properties.secondaryAudioShouldBeSilenced)
            writer.write(properties.isOtherAudioAudible)
            writer.write(properties.isNowPlaying)
            writer.write(properties.promptStyle.wireValue)
        case .route(let route):
            writer.write(UInt8(9))
            route.write(to: &writer)
        case .routeChange(let change):
            writer.write(UInt8(10))
            writer.write(change.reason.rawValue)
            change.previous.write(to: &writer)
            change.current.write(to: &writer)
        case .outputOverride(let outcome):
            writer.write(UInt8(11))
            writer.write(outcome.rawValue)
        }
    }

    init(from reader: inout MessageReader) throws(MalformedMessage) {
        switch try reader.read(UInt8.self) {
        case 1: self = .activated(othersSilentAt: try reader.read(), othersDuckedAt: try reader.read())
        case 2: self = .refused(try AudioSessionErrorCode(from: &reader))
        case 3:
            let code = try reader.read(Int32.self)
            guard code != 0 else {
                self = .done(nil)
                break
            }
            guard let error = AudioSessionErrorCode(rawValue: code) else {
                throw MalformedMessage("an unknown error of an audio session")
            }
            self = .done(error)
        case 4:
            let wireValue = try reader.read(UInt8.self)
            guard let reason = AudioArbiter.Reason.allCases.first(where: { $0.wireValue == wireValue }) else {
                throw MalformedMessage("an unknown reason")
            }
            self = .notice(.began(reason))
        case 5: self = .notice(.ended(shouldResume: try reader.read()))
        case 6: self = .notice(.silenceSecondaryAudioHint(try reader.read()))
        case 7:
            var properties = AudioArbiter.Properties()
            (properties.isOtherAudioPlaying, properties.secondaryAudioShouldBeSilenced) = (
                try reader.read(), try reader.read()
            )
            (properties.isOtherAudioAudible, properties.isNowPlaying) = (try reader.read(), try reader.read())
            let wireValue = try reader.read(UInt8.self)
            guard let style = AudioArbiter.PromptStyle.allCases.first(where: { $0.wireValue == wireValue }) else {
                throw MalformedMessage("an unknown prompt style")
            }
            properties.promptStyle = style
            self = .properties(properties)
        case 8: self = .reset
        case 9: self = .route(try AudioRoute?(from: &reader))
        case 10:
            guard let reason = RouteChange.Reason(rawValue: try reader.read()) else {
                throw MalformedMessage("an unknown reason of a route change")
            }
            self = .routeChange(
                RouteChange(reason, from: try AudioRoute?(from: &reader), to: try AudioRoute?(from: &reader)))
        case 11:
            guard let outcome = OutputOverrideOutcome(rawValue: try reader.read()) else {
                throw MalformedMessage("an unknown outcome of an output override")
            }
            self = .outputOverride(outcome)
        default: throw MalformedMessage("an unknown audio report")
        }
    }
}
