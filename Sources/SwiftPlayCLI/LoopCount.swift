/// A number of repetitions, as `--loop-file` and `--loop-playlist` take it.
enum LoopCount: Sendable, Equatable {
    case forever
    case times(Int)

    /// The number of further repetitions, for a count that includes the first playback.
    var withoutFirst: LoopCount { if case .times(let count) = self { .times(max(0, count - 1)) } else { self } }

    init?(parsing text: String) {
        switch text {
        case "no": self = .times(0)
        case "inf", "yes": self = .forever
        default:
            guard let n = Int(text), n >= 0 else { return nil }
            self = .times(n)
        }
    }
}
