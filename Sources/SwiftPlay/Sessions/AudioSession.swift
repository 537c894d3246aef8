import AudioOutput
import AudioPolicy
import CompositorProtocol
import Dispatch
import SystemCalls

/// The audio session of this process among those of all programs (AVAudioSession). Any thread.
///
/// The compositor decides which programs mix, are lowered, are silent or may resume. Without a compositor, every
/// request is granted. A ``Player`` activates the session when it is first heard, pauses when the session is
/// interrupted, resumes when it may and the user has not decided otherwise, and deactivates the session at its end.
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

    /// How a navigation program should speak (AVAudioSession.PromptStyle).
    public enum PromptStyle: Sendable {
        /// Not at all: a call is active.
        case none
        /// Briefly. The compositor does not report this style.
        case short
        /// As usual.
        case normal
    }

    /// A notification of a session. Properties already have their new values when it is delivered.
    public enum Notification: Sendable, Equatable {
        /// Another session or a call interrupted this session. It is inactive and silent.
        case interruptionBegan(reason: InterruptionReason)
        /// The interruption ended. If `shouldResume` is true, resume unless the user has decided otherwise.
        case interruptionEnded(shouldResume: Bool)
        /// Secondary audio, such as the music of a game, should be silent from now on, or may be heard again.
        case silenceSecondaryAudioHint(begins: Bool)
        /// The route changed: see ``AudioSession/currentRoute``. An interruption by the change was notified before.
        /// Playback does not resume automatically when a device returns.
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

    /// Why a session was interrupted (AVAudioSession.InterruptionReason).
    public enum InterruptionReason: Sendable {
        /// Another session was activated, or a call began.
        case `default`
        /// The process was stopped and continued.
        case appWasSuspended
        /// The device that the user listened to was removed.
        case routeDisconnected
    }

    private static let shared = AudioSession(link: .shared, gain: try? SessionGain())
    /// Returns the session of this process.
    public static func sharedInstance() -> AudioSession { shared }

    enum Connection: Equatable {
        /// Not requested, or being established.
        case none
        case open
        /// There is no compositor, or it does not support sessions: the rules apply in this process only.
        case unavailable
        /// The compositor was lost and is being restarted.
        case lost
    }

    enum Answer: Sendable, Equatable {
        /// The host times of ``AudioReport/activated(quietAt:duckedAt:)``.
        case granted(quietAt: Int64, duckedAt: Int64)
        case failed(AudioSessionErrorCode)
        case lost
        static let done = Answer.granted(quietAt: 0, duckedAt: 0)
    }

    /// A pending request. Answers come in the order of the requests.
    struct Question: Sendable {
        let request: AudioRequest
        let answer: @Sendable (Answer) -> Void
    }

    let state = Monitor(State())
    let systemVolume = Monitor<SystemVolume?>(nil)
    /// The queue on which observers are called, in order and without a lock.
    let queue = DispatchQueue(label: "audio session")
    let link: CompositorLink
    /// The gain of this process, which its renderers read; nil if there is no memory for it. The compositor has no
    /// control over the volume then.
    package let gain: SessionGain?

    /// The time limit of an answer, in nanoseconds.
    static let patience: Int64 = 3_000_000_000

    package init(link: CompositorLink, gain: SessionGain?) { (self.link, self.gain) = (link, gain) }

    // MARK: Category

    /// What the sound of this program is for; `.soloAmbient` by default.
    public var category: Category { state.withLock { $0.wanted.configuration.category } }
    /// A more specific use within the category; `.default` by default.
    public var mode: Mode { state.withLock { $0.wanted.configuration.mode } }
    /// The options of the category; none by default.
    public var categoryOptions: CategoryOptions { state.withLock { $0.wanted.configuration.options } }

    /// Sets category, mode and options. Before the first activation it returns at once; later it blocks until the
    /// compositor has answered, one or two milliseconds, at most 3 s.
    ///
    /// - Parameters:
    ///   - category: What the audio is for.
    ///   - mode: A more specific use.
    ///   - options: The options of this category.
    /// - Throws: ``PlaybackError`` with ``AudioSessionErrorCode/badParam`` if they do not fit together; they stay as
    ///   they were.
    public func setCategory(_ category: Category, mode: Mode = .default, options: CategoryOptions = [])
        throws(PlaybackError)
    {
        let new: AudioConfiguration
        do throws(AudioSessionErrorCode) {
            new = try AudioConfiguration(category: category, mode: mode, options: options)
        } catch {
            throw PlaybackError(error, "category \(category), mode \(mode) and these options do not go together")
        }
        // Before the first activation, the compositor does not need them.
        let isKnown = state.update { state in
            let isKnown = state.dialogue.connection == .open
            if !isKnown { state.wanted.configuration = new }
            return isKnown
        }
        guard isKnown else { return categoryChanged() }
        try wait(for: .configure(new), "the category cannot be changed")
        state.withLock { $0.wanted.configuration = new }
        categoryChanged()
    }

    // MARK: Activation

    /// Whether this program may be heard: true between an activation and its end or loss.
    public var isActive: Bool { state.withLock { $0.granted.isActive } }

    /// Activates or deactivates the session. Blocks until the compositor has answered: one or two milliseconds, longer
    /// if it must be started, at most 3 s. On the main queue use ``activate()`` and ``deactivate(options:)``.
    ///
    /// - Parameters:
    ///   - active: Whether to activate.
    ///   - options: See ``SetActiveOptions``.
    /// - Throws: ``PlaybackError`` with a code of ``AudioSessionErrorCode``; no session changes then. A deactivation
    ///   while audio is running throws ``AudioSessionErrorCode/isBusy`` and deactivates nevertheless.
    public func setActive(_ active: Bool, options: SetActiveOptions = []) throws(PlaybackError) {
        state.withLock { $0.claims.isHeldByProgram = active }
        if active {
            do throws(PlaybackError) {
                return try wait(for: .activate(hasGesture: false), Self.notActivated)
            } catch {
                state.withLock { $0.claims.isHeldByProgram = false }
                throw error
            }
        }
        try wait(for: .deactivate(isNotified: options.contains(.notifyOthersOnDeactivation)), Self.notDeactivated)
    }

    static let notActivated = "the audio session cannot be activated"
    static let notDeactivated = "sound was still running: it is silent now"

    // MARK: Requests

    static let number: UInt32 = 1

    /// Sends a request as soon as there is a connection.
    ///
    /// - Parameters:
    ///   - outlastsLoss: Whether the request waits for the next compositor instead of failing without one.
    ///   - answer: Called once, on the connection's thread or the caller's.
    func submit(_ request: AudioRequest, outlastsLoss: Bool = false, answer: @escaping @Sendable (Answer) -> Void) {
        let question = Question(request: request, answer: answer)
        let (isFirst, outcome): (Bool, Answer?) = state.update { state in
            // An activation before this answer must be sent, too.
            if case .deactivate = request { state.granted.prepareDeactivation() }
            switch state.dialogue.submit(question, outlastsLoss: outlastsLoss) {
            case .opens: return (true, nil)
            case .waits: return (false, nil)
            case .isSent:
                // Sends under the lock, because answers come in the order of the requests.
                send(request)
                return (false, nil)
            case .isGrantedHere: return (false, grantHere(request, &state))
            case .fails: return (false, .failed(.mediaServicesFailed))
            }
        }
        if isFirst { open() }
        if let outcome {
            tellNowPlaying()
            answer(outcome)
        }
    }

    /// Opens the connection before it is needed.
    package func prepare() {
        if state.update({ $0.dialogue.request() }) { open() }
    }

    private func open() {
        guard let page = gain?.descriptor else { return becomeAlone() }
        link.openAudio(page: page) { [weak self] in self?.hear($0) }
    }

    /// Without a compositor the request is granted.
    func grantHere(_ request: AudioRequest, _ state: inout State) -> Answer {
        switch request {
        case .activate:
            state.granted.activateAlone()
            let configuration = state.wanted.configuration
            if configuration.category == .playback, !configuration.isMixable {
                state.granted.properties.isNowPlaying = true
            }
            gain?.setGate(isOpen: true, milliseconds: 0)
        case .deactivate: state.granted.deactivate()
        default: break
        }
        return .done
    }

    func send(_ request: AudioRequest) { link.send(.audio(session: Self.number, request)) }

    private func wait(for request: AudioRequest, _ what: String) throws(PlaybackError) {
        let place = Monitor<Answer?>(nil)
        submit(request) { answer in place.update { $0 = answer } }
        let answer: Answer? = place.wait(until: MonotonicTime.now + Self.patience) { $0 }
        try Self.check(answer, what)
    }

    static func check(_ answer: Answer?, _ what: String) throws(PlaybackError) {
        switch answer {
        case .granted: return
        case .failed(let code): throw PlaybackError(code, "\(what) (\(code))")
        case .lost, nil: throw PlaybackError(.mediaServicesFailed, "\(what): the compositor does not answer")
        }
    }
}

extension PlaybackError {
    init(_ code: AudioSessionErrorCode, _ message: String) {
        self.init(Code(rawValue: Int(code.rawValue)), message, underlying: code)
    }
}
