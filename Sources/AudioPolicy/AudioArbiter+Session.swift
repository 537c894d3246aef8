extension AudioArbiter {
    /// The state of a session.
    package struct Session: Hashable, Sendable {
        package enum Claim: Hashable, Sendable {
            case inactive
            case active
            /// The session was interrupted; its gate is closed.
            case interrupted
        }

        package internal(set) var configuration = AudioConfiguration.initial
        package internal(set) var claim = Claim.inactive
        /// Whether samples are rendered, audible or not.
        package internal(set) var isRunning = false
        package internal(set) var presence: Presence
        package internal(set) var mayPlayInBackground: Bool
        package internal(set) var prefersNoInterruptions = false
        /// Whether the removal of its device interrupts the session; otherwise only its route changes.
        package internal(set) var prefersInterruptionOnRouteDisconnect = true
        /// The holders that keep the session interrupted; empty while it is inactive without an interruption.
        package internal(set) var heldBy: Set<Holder> = []
        /// The number of the activation. Samples of an older one are not audible.
        package internal(set) var epoch: UInt32 = 0
        /// Whether the session is lowered.
        package internal(set) var isDucked = false
        /// Whether the silent switch or the lock silences the session.
        package internal(set) var isSilenced = false
        /// The last value of ``AudioArbiter/Notice/hint(_:)``, or the value at the time at which it could be sent.
        package internal(set) var hint = false
        package internal(set) var properties = Properties()
        var order: UInt64 = 0
        var activatedAt: Int64 = 0
        var stoppedAt: Int64?
        /// The time until which audio of this session that does not mix counts as audible after it has stopped.
        var primaryUntil: Int64?
        var wasPrimary = false
        /// Whether the session was running when it was interrupted.
        var wasRunning = false
        /// Whether all holders that released the session permitted it to resume.
        var allNotified = true
        var interruption: UInt64 = 0
        /// Whether the program is stopped. It is notified of its interruption when it continues.
        var isSuspended = false
        var wasSuspendedActive = false
        /// The time at which the session stops holding others.
        var staleAt: Int64?
        /// Whether the session has been silent for too long to lower others.
        var isDuckLifted = false
        var couldHearHints = false

        /// Whether this is primary audio, beside which other audio is secondary.
        var isPrimary: Bool { claim == .active && isRunning && !configuration.isMixable }
    }

    /// The properties that a program can read at any time.
    package struct Properties: Hashable, Sendable {
        package var isOtherAudioPlaying = false
        package var secondaryAudioShouldBeSilenced = false
        /// Whether another program has an active or interrupted session.
        package var hasCompany = false
        package var promptStyle = PromptStyle.normal
        /// Whether this is the now playing program, which receives media keys.
        package var isNowPlaying = false
        package init() {}
    }

    package enum PromptStyle: Hashable, Sendable, CaseIterable { case none, short, normal }

    package enum Notice: Hashable, Sendable {
        case began(Reason)
        case ended(shouldResume: Bool)
        /// Whether secondary audio should be silent from now on.
        case hint(Bool)
    }

    package enum Reason: Hashable, Sendable, CaseIterable { case `default`, appWasSuspended, routeDisconnected }

    package enum Action: Hashable, Sendable {
        /// Opens or closes the gate of a session, with a fade in milliseconds.
        case gate(ID, isOpen: Bool, milliseconds: Int)
        /// Lowers or restores a session, linearly in dB, with a ramp in milliseconds.
        case duck(ID, Bool, milliseconds: Int)
        case notify(ID, Notice)
        case properties(ID, Properties)
        /// Answers an activation with the initial gain.
        case activated(ID, epoch: UInt32, isDucked: Bool, isSilenced: Bool)
        case refused(ID, AudioSessionErrorCode)
        /// Answers a deactivation or a configuration; the error is nil on success.
        case done(ID, AudioSessionErrorCode?)
        /// A message for the log.
        case note(ID, String)
    }

    /// The durations of fades and ramps in milliseconds.
    package enum Fade {
        package static let interruption = 30
        package static let duck = 250
        package static let unduck = 500
        package static let silence = 50
    }
}
