/// `--loop-file`.
enum LoopCount: Sendable, Equatable {
    case forever
    case times(Int)

    /// How often more, where the number counts the first time too.
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
