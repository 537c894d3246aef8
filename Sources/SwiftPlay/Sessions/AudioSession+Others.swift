import AudioPolicy
import SystemCalls

/// What this session knows of other programs' sound.
extension AudioSession {
    // The first question blocks until the compositor has said who else there is: a few milliseconds, longer where it
    // has to be started first. All questions together block for 1 s at most: after that no other program counts as
    // there until the compositor says otherwise. After ``learnAboutOthers()`` they do not block.

    /// Some other program's sound is playing, be it beside this one.
    public var isOtherAudioPlaying: Bool { others.isOtherAudioPlaying }
    /// Some other program plays what does not mix: music of a game's own should be silent.
    public var secondaryAudioShouldBeSilencedHint: Bool { others.secondaryAudioShouldBeSilenced }
    /// How long prompts should be: none while a call is on.
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

    /// How long questions about others may wait for the first answer, nanoseconds.
    private static let acquaintance: Int64 = 1_000_000_000
}
