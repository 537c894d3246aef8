extension AudioArbiter {
    /// The state of an audio session.
    package struct Session: Hashable, Sendable {
        /// The activation state of a session: only an active session may be heard.
        package enum Activation: Hashable, Sendable {
            /// The program has not activated the session, or has deactivated it.
            case inactive
            /// The session is active and may be heard.
            case active
            /// The session was interrupted and is muted.
            case interrupted
        }

        /// The category, mode and options of the session.
        package internal(set) var configuration = AudioConfiguration.initial
        /// Whether the session is inactive, active or interrupted.
        package internal(set) var activation = Activation.inactive
        /// Whether the session's program renders samples, audible or not.
        package internal(set) var isRunning = false
        /// The visibility of the session's program.
        package internal(set) var visibility: Visibility
        /// Whether the program may start audio in the background and be heard on a locked screen.
        package internal(set) var mayPlayInBackground: Bool
        /// Whether an incoming phone call that is shown as a banner does not interrupt the session.
        package internal(set) var prefersNoInterruptions = false
        /// Whether the removal of the audio device in use interrupts the session; otherwise only the session's audio
        /// route changes.
        package internal(set) var prefersInterruptionOnRouteDisconnect = true
        /// The causes that keep the session interrupted: other sessions, a phone call, or the screen lock. Empty for a
        /// session that is not interrupted.
        package internal(set) var interruptedBy: Set<InterruptionCause> = []
        /// The number of activations of this session so far. Samples that were rendered for an earlier activation are
        /// not audible.
        package internal(set) var epoch: UInt32 = 0
        /// Whether another program's session or a phone call ducks (attenuates) the session.
        package internal(set) var isDucked = false
        /// Whether the silent switch or the screen lock mutes the session.
        package internal(set) var isSilenced = false
        /// The last hint that was sent to the session (``AudioArbiter/Notice/silenceSecondaryAudioHint(_:)``): true if
        /// secondary audio, such as a game's music, should be silent. Before the first hint: the value that the hint
        /// would have had when the session became able to receive hints.
        package internal(set) var lastSilenceHint = false
        /// The properties that the arbiter most recently sent to the session's program.
        package internal(set) var properties = Properties()
        /// The number of the session's last activation, counted over all sessions: a higher number means a later
        /// activation.
        var activationNumber: UInt64 = 0
        /// The host time of the session's last activation, in nanoseconds.
        var activatedAt: Int64 = 0
        /// The host time in nanoseconds at which the session stopped rendering samples; nil while it renders samples.
        var stoppedRenderingAt: Int64?
        /// The host time, in nanoseconds, until which a session that has stopped playing still counts as playing
        /// primary audio. Nil while the session plays, and after that time.
        var countsAsPrimaryUntil: Int64?
        /// The value of ``isPrimary`` after the arbiter processed its previous input.
        var wasPrimary = false
        /// Whether the session rendered samples when its interruption began.
        var wasRunningBeforeInterruption = false
        /// Whether every cause of the interruption that has ended so far permits the session to resume.
        var mayResume = true
        /// The number of the session's last interruption, counted over all sessions. Sessions are notified of the end
        /// of their interruptions in descending order of this number.
        var interruptionSequenceNumber: UInt64 = 0
        /// Whether the session's program is stopped (SIGSTOP). The program is notified of the interruption when it
        /// continues.
        var isSuspended = false
        /// Whether the session was active when its program was stopped (SIGSTOP).
        var wasActiveWhenSuspended = false
        /// The host time, in nanoseconds, at which this inactive session of a background program stops keeping other
        /// sessions interrupted; nil for all other sessions.
        var endsInterruptionsAt: Int64?
        /// Whether the session has stopped ducking other sessions because it has been silent for too long.
        var hasStoppedDucking = false
        /// Whether the session was active in the foreground after the previous input of the arbiter. Only such sessions
        /// receive hints about secondary audio.
        var couldReceiveHints = false

        /// Whether the session plays primary audio: audible audio that does not mix with other programs' audio.
        /// Compared with it, other programs' audio is secondary.
        var isPrimary: Bool { activation == .active && isRunning && !configuration.isMixable }
    }

    /// The properties of an audio session that the session's program can read at any time.
    package struct Properties: Hashable, Sendable {
        /// Whether another program's active session renders samples.
        package var isOtherAudioPlaying = false
        /// Whether the program should pause audio that is not essential, such as a game's music.
        package var secondaryAudioShouldBeSilenced = false
        /// Whether another program has an active or interrupted session.
        package var isOtherAudioAudible = false
        /// The recommended style of spoken prompts.
        package var promptStyle = PromptStyle.normal
        /// Whether this is the now playing program, which receives media keys.
        package var isNowPlaying = false
        package init() {}
    }

    /// The recommended style of spoken prompts (AVAudioSession.PromptStyle).
    package enum PromptStyle: Hashable, Sendable, CaseIterable { case none, short, normal }

    /// A notification that the arbiter sends to a session's program.
    package enum Notice: Hashable, Sendable {
        /// An interruption began.
        case began(Reason)
        /// The interruption ended. `shouldResume`: whether the program should continue playback.
        case ended(shouldResume: Bool)
        /// Whether the program should silence its secondary audio, such as a game's music, from now on.
        case silenceSecondaryAudioHint(Bool)
    }

    /// The reason for an interruption that the program receives (AVAudioSession.InterruptionReason).
    package enum Reason: Hashable, Sendable, CaseIterable { case `default`, appWasSuspended, routeDisconnected }

    /// An action that the arbiter has decided on and its caller must carry out.
    package enum Action: Hashable, Sendable {
        /// Unmutes a session (opens its gate) or mutes it (closes its gate), with a fade of this length in
        /// milliseconds.
        case gate(ID, isOpen: Bool, milliseconds: Int)
        /// Ducks (attenuates) a session if the value is true, else restores its gain; with a ramp that is linear in dB
        /// and has this length in milliseconds.
        case duck(ID, Bool, milliseconds: Int)
        /// Sends a notification, such as the start of an interruption, to the session's program.
        case notify(ID, Notice)
        /// Sends the session's new properties to its program.
        case sendProperties(ID, Properties)
        /// Reports to the program that its session is active. The values give the session's initial gain.
        case activated(ID, epoch: UInt32, isDucked: Bool, isSilenced: Bool)
        /// Reports to the program that its session was not activated, with the error.
        case refused(ID, AudioSessionErrorCode)
        /// Reports the result of a deactivation or of a configuration to the program; the error is nil on success.
        case requestCompleted(ID, AudioSessionErrorCode?)
        /// Writes a message about the session to the log.
        case log(ID, String)
    }

    /// The durations of fades and ramps in milliseconds.
    package enum Fade {
        /// The fade-out of a session that is interrupted or deactivated, in milliseconds.
        package static let interruption = 30
        /// The ramp that lowers the gain of a session which another session ducks, in milliseconds.
        package static let duck = 250
        /// The ramp that restores the gain of a session which is no longer ducked, in milliseconds.
        package static let unduck = 500
        /// The fade when the silent switch or the screen lock mutes or unmutes a session, in milliseconds.
        package static let silence = 50
    }
}
