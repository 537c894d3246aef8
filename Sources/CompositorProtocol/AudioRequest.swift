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
    func write(to w: inout MessageWriter) {
        switch self {
        case .open(let mayPlay):
            w.write(UInt8(1))
            w.write(mayPlay)
        case .configure(let configuration):
            w.write(UInt8(2))
            configuration.write(to: &w)
        case .activate(let hasGesture):
            w.write(UInt8(3))
            w.write(hasGesture)
        case .deactivate(let notifiesOthers):
            w.write(UInt8(4))
            w.write(notifiesOthers)
        case .running(let isRunning):
            w.write(UInt8(5))
            w.write(isRunning)
        case .visibility(let visibility):
            w.write(UInt8(6))
            w.write(visibility.wireValue)
        case .prefersNoInterruptions(let prefers):
            w.write(UInt8(7))
            w.write(prefers)
        case .close: w.write(UInt8(8))
        case .mayPlayInBackground(let mayPlay):
            w.write(UInt8(9))
            w.write(mayPlay)
        case .prefersInterruptionOnRouteDisconnect(let prefers):
            w.write(UInt8(10))
            w.write(prefers)
        case .overrideOutput(let isSpeaker):
            w.write(UInt8(11))
            w.write(isSpeaker)
        }
    }

    init(from r: inout MessageReader) throws(MalformedMessage) {
        switch try r.read(UInt8.self) {
        case 1: self = .open(mayPlayInBackground: try r.read())
        case 2: self = .configure(try AudioConfiguration(from: &r))
        case 3: self = .activate(hasGesture: try r.read())
        case 4: self = .deactivate(notifiesOthers: try r.read())
        case 5: self = .running(try r.read())
        case 6: self = .visibility(try AudioArbiter.Visibility(from: &r))
        case 7: self = .prefersNoInterruptions(try r.read())
        case 8: self = .close
        case 9: self = .mayPlayInBackground(try r.read())
        case 10: self = .prefersInterruptionOnRouteDisconnect(try r.read())
        case 11: self = .overrideOutput(isSpeaker: try r.read())
        default: throw MalformedMessage("an unknown audio request", isUnknown: true)
        }
    }
}

extension AudioReport {
    func write(to w: inout MessageWriter) {
        switch self {
        case .activated(let othersSilentAt, let othersDuckedAt):
            w.write(UInt8(1))
            w.write(othersSilentAt)
            w.write(othersDuckedAt)
        case .refused(let code):
            w.write(UInt8(2))
            w.write(code.rawValue)
        // The number 0 in the message means success: no error code has this value.
        case .done(let code):
            w.write(UInt8(3))
            w.write(code?.rawValue ?? 0)
        case .notice(.began(let reason)):
            w.write(UInt8(4))
            w.write(reason.wireValue)
        case .notice(.ended(let shouldResume)):
            w.write(UInt8(5))
            w.write(shouldResume)
        case .notice(.silenceSecondaryAudioHint(let isSilent)):
            w.write(UInt8(6))
            w.write(isSilent)
        case .reset: w.write(UInt8(8))
        case .properties(let properties):
            w.write(UInt8(7))
            w.write(properties.isOtherAudioPlaying)
            w.write(properties.secondaryAudioShouldBeSilenced)
            w.write(properties.isOtherAudioAudible)
            w.write(properties.isNowPlaying)
            w.write(properties.promptStyle.wireValue)
        case .route(let route):
            w.write(UInt8(9))
            route.write(to: &w)
        case .routeChange(let change):
            w.write(UInt8(10))
            w.write(change.reason.rawValue)
            change.previous.write(to: &w)
            change.current.write(to: &w)
        case .outputOverride(let outcome):
            w.write(UInt8(11))
            w.write(outcome.rawValue)
        }
    }

    init(from r: inout MessageReader) throws(MalformedMessage) {
        switch try r.read(UInt8.self) {
        case 1: self = .activated(othersSilentAt: try r.read(), othersDuckedAt: try r.read())
        case 2: self = .refused(try AudioSessionErrorCode(from: &r))
        case 3:
            let code = try r.read(Int32.self)
            guard code != 0 else {
                self = .done(nil)
                break
            }
            guard let error = AudioSessionErrorCode(rawValue: code) else {
                throw MalformedMessage("an unknown error of an audio session")
            }
            self = .done(error)
        case 4:
            let wireValue = try r.read(UInt8.self)
            guard let reason = AudioArbiter.Reason.allCases.first(where: { $0.wireValue == wireValue }) else {
                throw MalformedMessage("an unknown reason")
            }
            self = .notice(.began(reason))
        case 5: self = .notice(.ended(shouldResume: try r.read()))
        case 6: self = .notice(.silenceSecondaryAudioHint(try r.read()))
        case 7:
            var properties = AudioArbiter.Properties()
            (properties.isOtherAudioPlaying, properties.secondaryAudioShouldBeSilenced) = (try r.read(), try r.read())
            (properties.isOtherAudioAudible, properties.isNowPlaying) = (try r.read(), try r.read())
            let wireValue = try r.read(UInt8.self)
            guard let style = AudioArbiter.PromptStyle.allCases.first(where: { $0.wireValue == wireValue }) else {
                throw MalformedMessage("an unknown prompt style")
            }
            properties.promptStyle = style
            self = .properties(properties)
        case 8: self = .reset
        case 9: self = .route(try AudioRoute?(from: &r))
        case 10:
            guard let reason = RouteChange.Reason(rawValue: try r.read()) else {
                throw MalformedMessage("an unknown reason of a route change")
            }
            self = .routeChange(RouteChange(reason, from: try AudioRoute?(from: &r), to: try AudioRoute?(from: &r)))
        case 11:
            guard let outcome = OutputOverrideOutcome(rawValue: try r.read()) else {
                throw MalformedMessage("an unknown outcome of an output override")
            }
            self = .outputOverride(outcome)
        default: throw MalformedMessage("an unknown audio report")
        }
    }
}

extension AudioRoute? {
    func write(to w: inout MessageWriter) {
        w.write(self != nil)
        if let route = self {
            w.write(route.device)
            w.write(route.port.rawValue)
            w.write(route.name)
        }
    }

    init(from r: inout MessageReader) throws(MalformedMessage) {
        guard try r.read() else {
            self = nil
            return
        }
        let device: String = try r.read()
        guard let port = AudioRoute.Port(rawValue: try r.read()) else { throw MalformedMessage("an unknown port") }
        self = AudioRoute(device: device, port: port, name: try r.read())
    }
}

extension AudioConfiguration {
    func write(to w: inout MessageWriter) {
        w.write(category.rawValue)
        w.write(mode.rawValue)
        w.write(options.rawValue)
    }

    init(from r: inout MessageReader) throws(MalformedMessage) {
        guard let category = AudioCategory(rawValue: try r.read()), let mode = AudioMode(rawValue: try r.read()) else {
            throw MalformedMessage("an unknown category or mode")
        }
        let options = AudioCategoryOptions(rawValue: try r.read())
        // The SwiftPlay library rejects invalid combinations before it sends them, so the sender is faulty.
        do throws(AudioSessionErrorCode) {
            self = try AudioConfiguration(category: category, mode: mode, options: options)
        } catch { throw MalformedMessage("category, mode and options are not a valid combination") }
    }
}

extension AudioSessionErrorCode {
    init(from r: inout MessageReader) throws(MalformedMessage) {
        guard let code = AudioSessionErrorCode(rawValue: try r.read()) else {
            throw MalformedMessage("an unknown error of an audio session")
        }
        self = code
    }
}

// The numbers that represent the arbiter's enumeration cases in messages.
extension AudioArbiter.Visibility {
    var wireValue: UInt8 {
        switch self {
        case .foreground: 1
        case .background: 2
        case .pictureInPicture: 3
        }
    }

    init(from r: inout MessageReader) throws(MalformedMessage) {
        let wireValue = try r.read(UInt8.self)
        guard let visibility = Self.allCases.first(where: { $0.wireValue == wireValue }) else {
            throw MalformedMessage("an unknown visibility")
        }
        self = visibility
    }
}

extension AudioArbiter.Reason {
    var wireValue: UInt8 {
        switch self {
        case .default: 1
        case .appWasSuspended: 2
        case .routeDisconnected: 3
        }
    }
}

extension AudioArbiter.PromptStyle {
    var wireValue: UInt8 {
        switch self {
        case .none: 1
        case .short: 2
        case .normal: 3
        }
    }
}
