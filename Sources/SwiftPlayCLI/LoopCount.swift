/// A number of repetitions: the value of `--loop-file` and `--loop-playlist`.
enum LoopCount: Sendable, Equatable {
    /// Endless repetition.
    case forever
    /// A number of repetitions; 0 means no repetition.
    case times(Int)

    /// The number of repetitions after the first playback, for a count that includes the first playback.
    var withoutFirstPlayback: LoopCount { if case .times(let count) = self { .times(max(0, count - 1)) } else { self } }

    /// Parses `no`, `inf`, `yes` or a number from 0; nil for other texts.
    init?(parsing text: String) {
        switch text {
        case "no": self = .times(0)
        case "inf", "yes": self = .forever
        default:
            guard let count = Int(text), count >= 0 else { return nil }
            self = .times(count)
        }
    }
}
