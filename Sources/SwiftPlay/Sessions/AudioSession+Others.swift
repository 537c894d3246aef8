import AudioPolicy
import SystemCalls

/// The state of other programs' audio.
extension AudioSession {
    // The first read of one of the following properties blocks until the compositor has reported the state of other
    // programs: a few milliseconds, longer if the compositor must be started. After 1 s in total, the properties assume
    // that there is no other program, and no longer block. After ``refreshOtherSessions()`` they never block.

    /// Whether another program plays audio, possibly mixed with this one.
    public var isOtherAudioPlaying: Bool { otherPrograms.isOtherAudioPlaying }
    /// Whether another program plays audio that does not mix, so that a game should silence its own music.
    public var secondaryAudioShouldBeSilencedHint: Bool { otherPrograms.secondaryAudioShouldBeSilenced }
    /// The recommended style of spoken prompts in a navigation program: `.none` during a phone call.
    public var promptStyle: PromptStyle {
        switch otherPrograms.promptStyle {
        case .none: .none
        case .short: .short
        case .normal: .normal
        }
    }
    /// The host time (``Timebase/hostTime``) at which the other programs that the last activation ducks (lowers) have
    /// reached their low volume. A prompt that begins at this time is audible from its first word. ``MediaTime/zero``
    /// if the activation ducked no program.
    public var duckCompleteTime: MediaTime {
        MediaTime(nanoseconds: state.withLock { $0.grantedState.duckCompleteTime })
    }

    /// The compositor's last report about other programs. Blocks until the first report, for at most 1 s.
    var otherPrograms: AudioArbiter.Properties {
        prepare()
        let now = MonotonicTime.now
        let deadline = state.withLock { $0.requests.firstReportDeadline(now: now, timeout: Self.firstReportTimeout) }
        let properties = state.wait(until: deadline) { $0.requests.hasFirstReport ? $0.grantedState.properties : nil }
        return properties ?? AudioArbiter.Properties()
    }

    /// The time limit for the compositor's first report about other programs, in nanoseconds.
    private static let firstReportTimeout: Int64 = 1_000_000_000
}
