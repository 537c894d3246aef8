extension AudioArbiter {
    /// What is known of a session.
    package struct Session: Hashable, Sendable {
        package enum Claim: Hashable, Sendable {
            case inactive
            case active
            /// Taken away; the gate is closed.
            case interrupted
        }

        package internal(set) var configuration = AudioConfiguration.initial
        package internal(set) var claim = Claim.inactive
        /// Samples are being rendered, whether or not they may be heard.
        package internal(set) var isRunning = false
        package internal(set) var presence: Presence
        package internal(set) var mayPlayInBackground: Bool
        package internal(set) var prefersNoInterruptions = false
        /// The loss of the device that it is heard on interrupts it; else only its route changes.
        package internal(set) var prefersInterruptionOnRouteDisconnect = true
        /// Who keeps it interrupted; also, while it is inactive, nobody.
        package internal(set) var heldBy: Set<Holder> = []
        /// Grows with each activation: samples of an older one are not heard.
        package internal(set) var epoch: UInt32 = 0
        /// It is lowered.
        package internal(set) var isDucked = false
        /// The silent switch or the lock keeps it from being heard.
        package internal(set) var isSilenced = false
        /// As ``AudioArbiter/Notice/hint(_:)`` told last, or as it was when it could have been told.
        package internal(set) var hint = false
        package internal(set) var properties = Properties()
        var order: UInt64 = 0
        var activatedAt: Int64 = 0
        var stoppedAt: Int64?
        /// Its sound, which does not mix, counts until then though it has stopped.
        var primaryUntil: Int64?
        var wasPrimary = false
        /// It was running when its claim was taken away.
        var wasRunning = false
        /// Everyone who has let go of it said so to others.
        var allNotified = true
        var interruption: UInt64 = 0
        /// The program was frozen: it hears of its interruption when it thaws.
        var isSuspended = false
        var wasSuspendedActive = false
        /// When it holds nobody any longer.
        var staleAt: Int64?
        /// It has not made a sound for too long to lower others.
        var isDuckLifted = false
        var couldHearHints = false

        /// A sound that the user listens to, beside which others are secondary.
        var isPrimary: Bool { claim == .active && isRunning && !configuration.isMixable }
    }

    /// What a program can read at any time.
    package struct Properties: Hashable, Sendable {
        package var isOtherAudioPlaying = false
        package var secondaryAudioShouldBeSilenced = false
        /// Some other program has a claim, or had one that was taken away.
        package var hasCompany = false
        package var promptStyle = PromptStyle.normal
        /// The user listens to this program: media keys are for it.
        package var isNowPlaying = false
        package init() {}
    }

    package enum PromptStyle: Hashable, Sendable, CaseIterable { case none, short, normal }

    package enum Notice: Hashable, Sendable {
        case began(Reason)
        case ended(shouldResume: Bool)
        /// Secondary audio should be silent from now on, or need not be any longer.
        case hint(Bool)
    }

    package enum Reason: Hashable, Sendable, CaseIterable { case `default`, appWasSuspended, routeDisconnected }

    package enum Action: Hashable, Sendable {
        /// The session is heard or not: faded in or out in so many milliseconds.
        case gate(ID, isOpen: Bool, milliseconds: Int)
        /// It is lowered, or not any longer: linear in dB in so many milliseconds.
        case duck(ID, Bool, milliseconds: Int)
        case notify(ID, Notice)
        case properties(ID, Properties)
        /// Activated; its gain begins there.
        case activated(ID, epoch: UInt32, isDucked: Bool, isSilenced: Bool)
        case refused(ID, AudioSessionErrorCode)
        /// Deactivated, or configured; nil: without an error.
        case done(ID, AudioSessionErrorCode?)
        /// For a log.
        case note(ID, String)
    }

    /// Milliseconds (D-2, D-3, section 2.10).
    package enum Fade {
        package static let interruption = 30
        package static let duck = 250
        package static let unduck = 500
        package static let silence = 50
    }
}
