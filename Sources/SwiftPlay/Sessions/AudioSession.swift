import AudioOutput
import AudioPolicy
import CompositorProtocol
import Dispatch
import SystemCalls

/// The audio session of this process (AVAudioSession). Safe to use from any thread.
///
/// The compositor compares the sessions of all programs, and decides which programs mix, are lowered, are silent or may
/// resume. Without a compositor, every request is granted. A ``Player`` activates the session when the player first
/// becomes audible, and pauses when the session is interrupted. When the session permits playback again, the player
/// resumes unless the user has paused it. At the end of playback, the session is deactivated if neither another
/// player nor the program needs it.
public final class AudioSession: Sendable {
    /// See ``AudioCategory``.
    public typealias Category = AudioCategory
    /// See ``AudioMode``.
    public typealias Mode = AudioMode
    /// See ``AudioCategoryOptions``.
    public typealias CategoryOptions = AudioCategoryOptions
    /// See ``AudioSessionErrorCode``.
    public typealias ErrorCode = AudioSessionErrorCode

    /// Options of an activation or deactivation (AVAudioSession.SetActiveOptions).
    public struct SetActiveOptions: OptionSet, Sendable {
        /// The bits, with the numbers of AVFAudio.
        public let rawValue: UInt
        /// Creates a set from the bits of AVFAudio.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// For a deactivation: programs that this session interrupted may resume.
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }

    /// The recommended style of spoken prompts in a navigation program (AVAudioSession.PromptStyle).
    public enum PromptStyle: Sendable {
        /// Prompts should not be spoken, because a phone call is active.
        case none
        /// Prompts should be brief. The compositor does not report this style.
        case short
        /// Prompts are spoken as usual.
        case normal
    }

    /// A notification of a session. Properties already have their new values when it is delivered.
    public enum Notification: Sendable, Equatable {
        /// Another program's session or a phone call interrupted this session. It is inactive and silent.
        case interruptionBegan(reason: InterruptionReason)
        /// The interruption ended. If `shouldResume` is true, resume unless the user has decided otherwise.
        case interruptionEnded(shouldResume: Bool)
        /// Secondary audio, such as the music of a game, should be silent from now on, or may be heard again.
        case silenceSecondaryAudioHint(begins: Bool)
        /// The route changed: see ``AudioSession/currentRoute``. If the change interrupted the session, the
        /// interruption was notified before. Playback does not resume automatically when a device returns.
        case routeChange(reason: RouteChangeReason, previous: RouteDescription)
        /// The user changed the system volume: see ``AudioSession/outputVolume``. Posted after the first read of that
        /// property.
        case outputVolume(Float)
        /// The compositor was lost, and with it the session's activation.
        case mediaServicesWereLost
        /// The compositor is back. The session is inactive and has kept category, mode, options and preferences.
        /// Activate it again when playback should continue.
        case mediaServicesWereReset
    }

    /// The reason why a session was interrupted (AVAudioSession.InterruptionReason).
    public enum InterruptionReason: Sendable {
        /// Another program's session was activated, or a phone call began.
        case `default`
        /// The process was stopped and continued.
        case appWasSuspended
        /// The audio device that the session used was removed.
        case routeDisconnected
    }

    /// The session of this process.
    private static let shared = AudioSession(link: .shared, gain: try? SharedGainPage())
    /// Returns the session of this process.
    public static func sharedInstance() -> AudioSession { shared }

    /// The state of the connection to the compositor.
    enum Connection: Equatable {
        /// The connection was not requested, or is being established.
        case notEstablished
        /// The compositor serves this process.
        case open
        /// There is no compositor, or it does not support audio sessions: requests are granted in this process.
        case unavailable
        /// The compositor was lost and is being restarted.
        case lost
    }

    /// The compositor's answer to a request.
    enum Reply: Sendable, Equatable {
        /// The request was granted, with the host times of ``AudioReport/activated(othersSilentAt:othersDuckedAt:)``.
        case granted(othersSilentAt: Int64, othersDuckedAt: Int64)
        /// The request failed, for the reason that the code states.
        case failed(AudioSessionErrorCode)
        /// The compositor was lost before it answered.
        case lost
        /// The answer to a request that was performed, for which the host times have no meaning.
        static let done = Reply.granted(othersSilentAt: 0, othersDuckedAt: 0)
    }

    /// A request that is not answered yet. Answers come in the order of the requests.
    struct PendingRequest: Sendable {
        /// The message for the compositor.
        let request: AudioRequest
        /// The closure that is called once with the compositor's answer.
        let reply: @Sendable (Reply) -> Void
    }

    /// The state that the callers and the thread "compositor" share.
    let state = Monitor(State())
    /// The system volume of ALSA's mixer; nil until the system volume is read for the first time.
    let systemVolume = Monitor<SystemVolume?>(nil)
    /// The queue on which observers are called, in order and without a lock.
    let queue = DispatchQueue(label: "audio session")
    /// The connection to the compositor.
    let link: CompositorLink
    /// The shared memory with the gain of this process's audio, which the threads of the audio devices read. If it is
    /// nil because there is no memory, the compositor cannot change the volume.
    package let gain: SharedGainPage?

    /// The time limit for the compositor's answer, in nanoseconds.
    static let answerTimeout: Int64 = 3_000_000_000

    package init(link: CompositorLink, gain: SharedGainPage?) { (self.link, self.gain) = (link, gain) }

    // MARK: Category

    /// The purpose of this program's audio; `.soloAmbient` by default.
    public var category: Category { state.withLock { $0.requestedState.configuration.category } }
    /// A more specific use within the category; `.default` by default.
    public var mode: Mode { state.withLock { $0.requestedState.configuration.mode } }
    /// The options of the category; none by default.
    public var categoryOptions: CategoryOptions { state.withLock { $0.requestedState.configuration.options } }

    /// Sets category, mode and options. Returns at once while there is no connection to the compositor, as before the
    /// first activation; otherwise blocks until the compositor has answered: one or two milliseconds, at most 3 s.
    ///
    /// - Parameters:
    ///   - category: The purpose of the audio.
    ///   - mode: A more specific use within the category.
    ///   - options: The options of this category.
    /// - Throws: ``PlaybackError`` with ``AudioSessionErrorCode/badParam`` if category, mode and options are not a
    ///   valid combination. Then they stay as they were.
    public func setCategory(_ category: Category, mode: Mode = .default, options: CategoryOptions = [])
        throws(PlaybackError)
    {
        let configuration: AudioConfiguration
        do throws(AudioSessionErrorCode) {
            configuration = try AudioConfiguration(category: category, mode: mode, options: options)
        } catch {
            throw PlaybackError(
                error, "category \(category), mode \(mode) and these options are not a valid combination")
        }
        // Without an open connection, the configuration is only stored: the compositor receives it when the connection
        // opens.
        let isConnected = state.update { state in
            let isConnected = state.requests.connection == .open
            if !isConnected { state.requestedState.configuration = configuration }
            return isConnected
        }
        guard isConnected else { return notifyCategoryObservers() }
        try wait(for: .configure(configuration), "the category cannot be changed")
        state.withLock { $0.requestedState.configuration = configuration }
        notifyCategoryObservers()
    }

    // MARK: Activation

    /// Whether this program may be heard: true between an activation and its end or loss.
    public var isActive: Bool { state.withLock { $0.grantedState.isActive } }

    /// Activates or deactivates the session. Blocks until the compositor has answered: one or two milliseconds, longer
    /// if the compositor must be started, at most 3 s. On the main queue use ``activate()`` and
    /// ``deactivate(options:)``.
    ///
    /// - Parameters:
    ///   - active: Whether to activate.
    ///   - options: See ``SetActiveOptions``.
    /// - Throws: ``PlaybackError`` with a code of ``AudioSessionErrorCode``; then no session has changed. A
    ///   deactivation while audio is running throws ``AudioSessionErrorCode/isBusy`` and deactivates nevertheless.
    public func setActive(_ active: Bool, options: SetActiveOptions = []) throws(PlaybackError) {
        state.withLock { $0.users.isActivatedByProgram = active }
        if active {
            do throws(PlaybackError) {
                return try wait(for: .activate(hasGesture: false), Self.activationErrorPrefix)
            } catch {
                state.withLock { $0.users.isActivatedByProgram = false }
                throw error
            }
        }
        try wait(
            for: .deactivate(notifiesOthers: options.contains(.notifyOthersOnDeactivation)),
            Self.deactivationErrorPrefix)
    }

    /// The beginning of the error message for a failed activation.
    static let activationErrorPrefix = "the audio session cannot be activated"
    /// The beginning of the error message for a failed deactivation.
    static let deactivationErrorPrefix = "audio was still running and is now silenced"

    // MARK: Requests

    /// The number of the session in the compositor protocol. A process has one session.
    static let number: UInt32 = 1

    /// Sends a request as soon as there is a connection.
    ///
    /// - Parameters:
    ///   - survivesDisconnect: Whether the request waits for the next compositor instead of failing without one.
    ///   - reply: Called once with the answer, on the thread "compositor" or on the caller's thread.
    func submit(_ request: AudioRequest, survivesDisconnect: Bool = false, reply: @escaping @Sendable (Reply) -> Void) {
        let pendingRequest = PendingRequest(request: request, reply: reply)
        let (mustConnect, immediateReply): (Bool, Reply?) = state.update { state in
            // The session counts as inactive from now on. Otherwise an activation before the compositor's answer would
            // not be sent.
            if case .deactivate = request { state.grantedState.prepareDeactivation() }
            switch state.requests.submit(pendingRequest, survivesDisconnect: survivesDisconnect) {
            case .waitsAndOpensConnection: return (true, nil)
            case .waits: return (false, nil)
            case .isSent:
                // Send while holding the lock: answers are matched with requests by their order.
                send(request)
                return (false, nil)
            case .isGrantedLocally: return (false, grantLocally(request, &state))
            case .fails: return (false, .failed(.mediaServicesFailed))
            }
        }
        if mustConnect { openConnection() }
        if let immediateReply {
            notifyNowPlaying()
            reply(immediateReply)
        }
    }

    /// Opens the connection to the compositor before it is needed.
    package func prepare() {
        if state.update({ $0.requests.requestConnection() }) { openConnection() }
    }

    /// Opens the connection to the compositor. Without shared memory for the gain, requests are granted in this
    /// process.
    private func openConnection() {
        guard let gainPageDescriptor = gain?.descriptor else { return handleUnavailableCompositor() }
        link.openAudioSession(gainPageDescriptor: gainPageDescriptor) { [weak self] in self?.handle($0) }
    }

    /// Grants a request in this process, because there is no compositor.
    func grantLocally(_ request: AudioRequest, _ state: inout State) -> Reply {
        switch request {
        case .activate:
            state.grantedState.activateLocally()
            let configuration = state.requestedState.configuration
            if configuration.category == .playback, !configuration.isMixable {
                state.grantedState.properties.isNowPlaying = true
            }
            gain?.setGate(isOpen: true, milliseconds: 0)
        case .deactivate: state.grantedState.deactivate()
        default: break
        }
        return .done
    }

    /// Sends a request on the open connection.
    func send(_ request: AudioRequest) { link.send(.audio(session: Self.number, request)) }

    /// Sends a request and blocks until it is answered or the time limit has passed.
    private func wait(for request: AudioRequest, _ errorPrefix: String) throws(PlaybackError) {
        let pendingReply = Monitor<Reply?>(nil)
        submit(request) { reply in pendingReply.update { $0 = reply } }
        let reply: Reply? = pendingReply.wait(until: MonotonicTime.now + Self.answerTimeout) { $0 }
        try Self.check(reply, errorPrefix)
    }

    /// Throws an error unless the request was granted. The reply is nil if no answer arrived in time.
    static func check(_ reply: Reply?, _ errorPrefix: String) throws(PlaybackError) {
        switch reply {
        case .granted: return
        case .failed(let code): throw PlaybackError(code, "\(errorPrefix) (\(code))")
        case .lost, nil: throw PlaybackError(.mediaServicesFailed, "\(errorPrefix): the compositor does not respond")
        }
    }
}

extension PlaybackError {
    /// Creates the error for an error code of the audio session.
    init(_ code: AudioSessionErrorCode, _ message: String) {
        self.init(Code(rawValue: Int(code.rawValue)), message, underlying: code)
    }
}
