/// A position in a media file as a user writes it: `90`, `1:30`, `01:02:03.5`, `50%`, `-10` (from the end).
enum TimePosition: Sendable, Equatable {
    /// Seconds from the start of the file.
    case seconds(Double)
    /// Seconds before the end of the file.
    case fromEnd(Double)
    /// A percentage of the file's duration, 0 to 100.
    case percent(Double)

    /// Parses the text of a position; nil if the text is not a position.
    init?(parsing text: String) {
        var remainingText = Substring(text)
        if remainingText.hasSuffix("%") {
            guard let value = Double(remainingText.dropLast()), (0...100).contains(value) else { return nil }
            self = .percent(value)
            return
        }
        let isFromEnd = remainingText.hasPrefix("-")
        if isFromEnd || remainingText.hasPrefix("+") { remainingText = remainingText.dropFirst() }
        let parts = remainingText.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count) else { return nil }
        var seconds = 0.0
        for part in parts {
            guard let firstCharacter = part.first, firstCharacter.isNumber || firstCharacter == ".",
                let value = Double(part), value.isFinite
            else { return nil }
            seconds = seconds * 60 + value
        }
        guard seconds < 1e9 else { return nil }
        self = isFromEnd ? .fromEnd(seconds) : .seconds(seconds)
    }

    /// Returns the position in seconds from the start of the file; nil if the position depends on an unknown duration.
    func seconds(duration: Double?) -> Double? {
        switch self {
        case .seconds(let position): position
        case .fromEnd(let distance): duration.map { max(0, $0 - distance) }
        case .percent(let percentage): duration.map { $0 * percentage / 100 }
        }
    }
}

extension TimePosition {
    /// The position as an option's value: a number of seconds, negative from the end, or a percentage.
    var optionText: String {
        switch self {
        case .seconds(let position): "\(position)"
        case .fromEnd(let distance): "-\(distance)"
        case .percent(let percentage): "\(percentage)%"
        }
    }
}
