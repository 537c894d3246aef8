import AudioPolicy
import SystemCalls

/// The state of other programs' audio.
extension AudioSession {
    // The first read blocks until the compositor has reported the state: a few milliseconds, longer if it must be
    // started. All reads together block for at most 1 s; after that, no other program is assumed. After
    // ``learnAboutOthers()`` they do not block.

    /// Whether another program plays audio, possibly mixed with this one.
    public var isOtherAudioPlaying: Bool { others.isOtherAudioPlaying }
    /// Whether another program plays audio that does not mix, so that a game should silence its own music.
    public var secondaryAudioShouldBeSilencedHint: Bool { others.secondaryAudioShouldBeSilenced }
    /// How a navigation program should speak: `.none` during a call.
    public var promptStyle: PromptStyle {
        switch others.promptStyle {
        case .none: .none
        case .short: .short
        case .normal: .normal
        }
    }
    /// The host time (``Timebase/hostTime``) at which the programs that the last activation lowers have reached their
    /// low volume. A prompt that begins then is understood from its first word. ``MediaTime/zero`` if the activation
    /// lowered no program.
    public var duckCompleteTime: MediaTime {
        MediaTime(nanoseconds: state.withLock { $0.granted.duckCompleteTime })
    }

    var others: AudioArbiter.Properties {
        prepare()
        let now = MonotonicTime.now
        let deadline = state.withLock { $0.dialogue.acquaintanceEnd(now: now, patience: Self.acquaintance) }
        let known = state.wait(until: deadline) { $0.dialogue.isAcquainted ? $0.granted.properties : nil }
        return known ?? AudioArbiter.Properties()
    }

    /// The time limit of reads before the first report, in nanoseconds.
    private static let acquaintance: Int64 = 1_000_000_000
}
