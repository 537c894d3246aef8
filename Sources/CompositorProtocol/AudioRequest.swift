import AudioPolicy
import WireFormat

/// A request of a program about one of its audio sessions. Version 6.
package enum AudioRequest: Equatable, Sendable {
    /// Opens an inactive session with the default configuration. One descriptor comes with it: the shared gain page of
    /// its render threads.
    case open(mayPlayInBackground: Bool)
    /// Sets the configuration. Answered with `done`.
    case configure(AudioConfiguration)
    /// Activates the session. Answered with `activated` or `refused`. `hasGesture`: the user requested playback.
    case activate(hasGesture: Bool)
    /// Deactivates the session; `isNotified`: others may resume. Answered with `done`.
    case deactivate(isNotified: Bool)
    /// The session starts or stops rendering audio.
    case running(Bool)
    /// The visibility of the program; holds for all its sessions.
    case presence(AudioArbiter.Presence)
    /// Sets whether call banners should not interrupt the session.
    case prefersNoInterruptions(Bool)
    /// Closes the session.
    case close
    /// Declares whether the program plays in the background and while the screen is locked; holds for all its sessions.
    /// Version 7.
    case mayPlayInBackground(Bool)
    /// Sets whether the loss of its device interrupts the session. The default is true. Version 7.
    case prefersInterruptionOnRouteDisconnect(Bool)
    /// Requests that the sound server plays on its speaker, or on its previous port again. Answered with
    /// `outputOverride`. Version 9.
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

/// A report of the compositor to one audio session. Version 6.
package enum AudioReport: Equatable, Sendable {
    /// The session is active. Host times, 0 for no wait: interrupted sessions are silent from `quietAt` on, when the
    /// session's own gate opens; ducked sessions are attenuated from `duckedAt` on.
    case activated(quietAt: Int64, duckedAt: Int64)
    /// The activation failed.
    case refused(AudioSessionErrorCode)
    /// A request is complete; `nil` without an error.
    case done(AudioSessionErrorCode?)
    /// An interruption began or ended, or secondary audio should change.
    case notice(AudioArbiter.Notice)
    /// The session was closed: media services were reset.
    case reset
    /// The readable properties of the session, after each change.
    case properties(AudioArbiter.Properties)
    /// The current audio route, once it is known.
    case route(AudioRoute?)
    /// The audio route changed. Sessions that must be silent on the new route are silent already.
    case routeChange(RouteChange)
    /// The outcome of `overrideOutput`; outcomes arrive in the order of their requests. Version 9.
    case outputOverride(OutputOverrideOutcome)
}

extension AudioRequest {
    func write(to w: inout MessageWriter) {
        switch self {
        case .open(let mayPlay):
            w.write(UInt8(1))
            w.write(mayPlay)
        case .configure(let made):
            w.write(UInt8(2))
            made.write(to: &w)
        case .activate(let hasGesture):
            w.write(UInt8(3))
            w.write(hasGesture)
        case .deactivate(let isNotified):
            w.write(UInt8(4))
            w.write(isNotified)
        case .running(let isRunning):
            w.write(UInt8(5))
            w.write(isRunning)
        case .presence(let presence):
            w.write(UInt8(6))
            w.write(presence.code)
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
        case 4: self = .deactivate(isNotified: try r.read())
        case 5: self = .running(try r.read())
        case 6: self = .presence(try AudioArbiter.Presence(from: &r))
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
        case .activated(let quietAt, let duckedAt):
            w.write(UInt8(1))
            w.write(quietAt)
            w.write(duckedAt)
        case .refused(let code):
            w.write(UInt8(2))
            w.write(code.rawValue)
        // 0 is not used as an error code.
        case .done(let code):
            w.write(UInt8(3))
            w.write(code?.rawValue ?? 0)
        case .notice(.began(let reason)):
            w.write(UInt8(4))
            w.write(reason.code)
        case .notice(.ended(let resumes)):
            w.write(UInt8(5))
            w.write(resumes)
        case .notice(.hint(let isSilent)):
            w.write(UInt8(6))
            w.write(isSilent)
        case .reset: w.write(UInt8(8))
        case .properties(let all):
            w.write(UInt8(7))
            w.write(all.isOtherAudioPlaying)
            w.write(all.secondaryAudioShouldBeSilenced)
            w.write(all.hasCompany)
            w.write(all.isNowPlaying)
            w.write(all.promptStyle.code)
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
        case 1: self = .activated(quietAt: try r.read(), duckedAt: try r.read())
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
            let code = try r.read(UInt8.self)
            guard let reason = AudioArbiter.Reason.allCases.first(where: { $0.code == code }) else {
                throw MalformedMessage("an unknown reason")
            }
            self = .notice(.began(reason))
        case 5: self = .notice(.ended(shouldResume: try r.read()))
        case 6: self = .notice(.hint(try r.read()))
        case 7:
            var all = AudioArbiter.Properties()
            (all.isOtherAudioPlaying, all.secondaryAudioShouldBeSilenced) = (try r.read(), try r.read())
            (all.hasCompany, all.isNowPlaying) = (try r.read(), try r.read())
            let code = try r.read(UInt8.self)
            guard let style = AudioArbiter.PromptStyle.allCases.first(where: { $0.code == code }) else {
                throw MalformedMessage("an unknown prompt style")
            }
            all.promptStyle = style
            self = .properties(all)
        case 8: self = .reset
        case 9: self = .route(try AudioRoute?(from: &r))
        case 10:
            guard let reason = RouteChange.Reason(rawValue: try r.read()) else {
                throw MalformedMessage("an unknown reason of a route")
            }
            self = .routeChange(RouteChange(reason, from: try AudioRoute?(from: &r), to: try AudioRoute?(from: &r)))
        case 11:
            guard let outcome = OutputOverrideOutcome(rawValue: try r.read()) else {
                throw MalformedMessage("an unknown outcome of an output's override")
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
        // The library rejects such combinations itself.
        do throws(AudioSessionErrorCode) {
            self = try AudioConfiguration(category: category, mode: mode, options: options)
        } catch { throw MalformedMessage("category, mode and options do not go together") }
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

// The wire codes of the arbiter's enums.
extension AudioArbiter.Presence {
    var code: UInt8 {
        switch self {
        case .foreground: 1
        case .background: 2
        case .pictureInPicture: 3
        }
    }

    init(from r: inout MessageReader) throws(MalformedMessage) {
        let code = try r.read(UInt8.self)
        guard let presence = Self.allCases.first(where: { $0.code == code }) else {
            throw MalformedMessage("an unknown presence")
        }
        self = presence
    }
}

extension AudioArbiter.Reason {
    var code: UInt8 {
        switch self {
        case .default: 1
        case .appWasSuspended: 2
        case .routeDisconnected: 3
        }
    }
}

extension AudioArbiter.PromptStyle {
    var code: UInt8 {
        switch self {
        case .none: 1
        case .short: 2
        case .normal: 3
        }
    }
}
