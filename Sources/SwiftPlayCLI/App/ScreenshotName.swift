/// The name of a screenshot file: the value of `--screenshot-template`, in mpv's syntax.
struct ScreenshotName: Sendable, Equatable {
    /// The properties of the playing file that the name of a screenshot can contain.
    struct Context: Sendable {
        /// The path or address of the file.
        var location: String
        /// The playback position in seconds.
        var time: Double
    }

    /// A part of the template.
    private enum Part: Sendable, Equatable {
        case text(String)
        /// A number with at least this many digits, with which the file is new.
        case number(digits: Int)
        /// The name of the file, with or without its extension.
        case fileName(hasExtension: Bool)
        /// The position as hours, minutes and seconds, with or without milliseconds.
        case time(hasMilliseconds: Bool)
        /// The folder of the file.
        case folder
    }

    private var parts: [Part] = [.text("swiftplay-shot"), .number(digits: 4)]

    init() {}

    /// Parses a template; nil if it has an unknown `%` code.
    init?(parsing template: String) {
        parts = []
        var remainingTemplate = template[...]
        while let character = remainingTemplate.popFirst() {
            guard character == "%" else {
                parts.append(.text(String(character)))
                continue
            }
            let digits = remainingTemplate.prefix(while: { $0.isASCII && $0.isNumber })
            remainingTemplate = remainingTemplate[digits.endIndex...]
            guard let code = remainingTemplate.popFirst(), digits.isEmpty || code == "n", digits.count <= 2 else {
                return nil
            }
            switch code {
            case "n": parts.append(.number(digits: Int(digits) ?? 4))
            case "f": parts.append(.fileName(hasExtension: true))
            case "F": parts.append(.fileName(hasExtension: false))
            case "p": parts.append(.time(hasMilliseconds: false))
            case "P": parts.append(.time(hasMilliseconds: true))
            case "x": parts.append(.folder)
            case "%": parts.append(.text("%"))
            default: return nil
            }
        }
        guard !parts.isEmpty else { return nil }
    }

    /// Whether the name contains a number, so that a new file can be found.
    var hasNumber: Bool { parts.contains { if case .number = $0 { true } else { false } } }

    /// Returns the name with a number. Slashes and control characters of file names become underscores.
    func text(_ context: Context, number: Int) -> String {
        parts.map { part in
            switch part {
            case .text(let text): return text
            case .number(let digits):
                let text = String(number)
                return String(repeating: "0", count: max(0, digits - text.count)) + text
            case .fileName(let hasExtension):
                let name = context.location.split(separator: "/").last.map(String.init) ?? "stream"
                let nameWithoutExtension =
                    hasExtension ? name : name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
                return String(
                    nameWithoutExtension.map { $0 == "/" || $0.unicodeScalars.contains { $0.value < 32 } ? "_" : $0 })
            case .time(let hasMilliseconds):
                let time = context.time.isFinite ? max(0, context.time) : 0
                let fraction = String(1000 + Int(time * 1000) % 1000).dropFirst()
                return ClockText.text(time) + (hasMilliseconds ? ".\(fraction)" : "")
            case .folder:
                return context.location.contains("://")
                    ? "" : context.location.lastIndex(of: "/").map { String(context.location[...$0]) } ?? ""
            }
        }.joined()
    }
}
