import AudioOutput
import AudioPolicy
import CompositorProtocol
import Dispatch
import SystemCalls

/// What this program's sound is, among that of all programs (AVAudioSession): one for each process. Any thread.
///
/// The compositor decides between programs: who mixes, who is lowered, who has to be silent and who may go on. Where
/// there is none the rules hold inside this process, and everything is granted. A ``Player`` claims the session by
/// itself when it is first heard, pauses when the claim is taken away, goes on when it may and the user has not decided
/// otherwise, and gives it back at its end.
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
        /// With `false` only: those whom this session interrupted may go on.
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

    /// What a session hears. Values read meanwhile are those after it.
    public enum Notification: Sendable, Equatable {
        /// Somebody else has the sound now: this session is not active any longer, and silent.
        case interruptionBegan(reason: InterruptionReason)
        /// Nobody holds this session any longer. `shouldResume`: go on where the user has not decided otherwise.
        case interruptionEnded(shouldResume: Bool)
        /// Secondary audio, a game's music say, should be silent from now on, or need not be.
        case silenceSecondaryAudioHint(begins: Bool)
        /// Sound is heard elsewhere, or was: ``AudioSession/currentRoute``. Who has to be silent is, and has heard of
        /// that before. Nothing goes on by itself when a device comes back.
        case routeChange(reason: RouteChangeReason, previous: RouteDescription)
        /// The user has set the system's volume: ``AudioSession/outputVolume``, which is followed from the first time
        /// on that it is asked for.
        case outputVolume(Float)
        /// The compositor is gone, and with it the session's activation.
        case mediaServicesWereLost
        /// There is a compositor again. The session is inactive and has kept category, mode, options and preferences:
        /// activate it when that is in order.
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
        /// Not asked for, or being made.
        case none
        case open
        /// There is no compositor, or one that knows no sessions: the rules hold in this process.
        case unavailable
        /// It died, or forgot us, and is being started anew.
        case lost
    }

    enum Answer: Sendable, Equatable {
        /// Host times as of ``AudioReport/activated(quietAt:duckedAt:)``.
        case granted(quietAt: Int64, duckedAt: Int64)
        case failed(AudioSessionErrorCode)
        case lost
        static let done = Answer.granted(quietAt: 0, duckedAt: 0)
    }

    /// A question on its way; answers come in the order of the questions.
    struct Question: Sendable {
        let request: AudioRequest
        let answer: @Sendable (Answer) -> Void
    }

    let state = Monitor(State())
    let systemVolume = Monitor<SystemVolume?>(nil)
    /// Where observers are called: in order, and so that they may ask this session.
    let queue = DispatchQueue(label: "audio session")
    let link: CompositorLink
    /// What is left of this process's sound; read by its renderers. Nil where the system has no memory for it: nobody
    /// else decides then.
    package let gain: SessionGain?

    /// How long an answer may take, nanoseconds.
    static let patience: Int64 = 3_000_000_000

    package init(link: CompositorLink, gain: SessionGain?) { (self.link, self.gain) = (link, gain) }

    // MARK: what it is

    /// What the sound of this program is for; `.soloAmbient` by default.
    public var category: Category { state.withLock { $0.wanted.configuration.category } }
    /// A more specific use within the category; `.default` by default.
    public var mode: Mode { state.withLock { $0.wanted.configuration.mode } }
    /// The options of the category; none by default.
    public var categoryOptions: CategoryOptions { state.withLock { $0.wanted.configuration.options } }

    /// Says what this sound is. Options hold with this category only. Before the first claim it returns at once; after
    /// that it waits for the compositor's answer, a millisecond or two, 3 s at most.
    ///
    /// - Throws: ``PlaybackError`` with ``AudioSessionErrorCode/badParam`` where they do not go together; nothing is
    ///   changed then.
    public func setCategory(_ category: Category, mode: Mode = .default, options: CategoryOptions = [])
        throws(PlaybackError)
    {
        let new: AudioConfiguration
        do throws(AudioSessionErrorCode) {
            new = try AudioConfiguration(category: category, mode: mode, options: options)
        } catch {
            throw PlaybackError(error, "category \(category), mode \(mode) and these options do not go together")
        }
        // Before the first claim nobody else needs to know.
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

    // MARK: claims

    /// Whether this program may be heard: true between an activation and its end or loss.
    public var isActive: Bool { state.withLock { $0.granted.isActive } }

    /// Claims the right to be heard, or gives it back. Blocks until the compositor has answered: a millisecond or two,
    /// longer where it has to be started first, 3 s at most. On the main queue use ``activate()`` and
    /// ``deactivate(options:)``.
    ///
    /// - Throws: ``PlaybackError`` with the code that says why not (``AudioSessionErrorCode``); nothing is changed for
    ///   anybody then. ``AudioSessionErrorCode/isBusy`` where sound was still running at a deactivation: it is
    ///   deactivated all the same.
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

    // MARK: questions

    static let number: UInt32 = 1

    /// Asks, as soon as there is somebody to ask; `answer` is called once, on the connection's thread or here.
    ///
    /// - Parameter outlastsLoss: it waits until the compositor is there again, rather than fail while it is not.
    func submit(_ request: AudioRequest, outlastsLoss: Bool = false, answer: @escaping @Sendable (Answer) -> Void) {
        let question = Question(request: request, answer: answer)
        let (isFirst, outcome): (Bool, Answer?) = state.update { state in
            // Who claims before this is answered has to ask.
            if case .deactivate = request { state.granted.prepareDeactivation() }
            switch state.dialogue.submit(question, outlastsLoss: outlastsLoss) {
            case .opens: return (true, nil)
            case .waits: return (false, nil)
            case .isSent:
                // Under the lock: answers come in the order of the questions.
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

    /// Makes the connection ready before it is needed.
    package func prepare() {
        if state.update({ $0.dialogue.request() }) { open() }
    }

    private func open() {
        guard let page = gain?.descriptor else { return becomeAlone() }
        link.openAudio(page: page) { [weak self] in self?.hear($0) }
    }

    /// Nobody else is known: granted.
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
