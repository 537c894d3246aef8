/// The field order of events in an ASS script. Pure.
///
/// All code after the decoder expects the usual order. Matroska always uses the usual order, although its header may
/// still contain the different order of the original script file. In a script file, the header is correct.
struct ScriptFields: Sendable {
    private static let usual = ["style", "name", "marginl", "marginr", "marginv", "effect", "text"]
    private static let usualLine = "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text"
    /// The field names after layer, start and end; empty for the usual order.
    private let others: [String]

    init(header: String) {
        guard let line = Self.formatLine(in: header.split(whereSeparator: \.isNewline)) else {
            others = []
            return
        }
        let names = line.text.dropFirst("Format:".count).split(separator: ",").map { name in
            let name = name.filter { !$0.isWhitespace }.lowercased()
            return name == "actor" ? "name" : name
        }.dropFirst(3)
        others = Array(names) == Self.usual || names.last != "text" ? [] : Array(names)
    }

    /// Returns the header with the usual field order.
    func usual(header: String) -> String {
        guard !others.isEmpty else { return header }
        var lines = header.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard let line = Self.formatLine(in: lines) else { return header }
        lines[line.index] = Self.usualLine[...]
        return lines.joined(separator: "\n")
    }

    /// Converts an event `Layer,…` to the usual field order.
    func usual(_ event: String) -> String {
        guard !others.isEmpty, let comma = event.firstIndex(of: ",") else { return event }
        let rest = event[event.index(after: comma)...]
        let asUsual = rest.split(separator: ",", maxSplits: Self.usual.count - 1, omittingEmptySubsequences: false)
        // Margins are numeric or empty: if they are in the usual place, the event has the usual order, whatever the
        // header says.
        if asUsual.count == Self.usual.count,
            asUsual[2...4].allSatisfy({ $0.allSatisfy { $0.isNumber || $0.isWhitespace } })
        {
            return event
        }
        let values = rest.split(separator: ",", maxSplits: others.count - 1, omittingEmptySubsequences: false)
        guard values.count == others.count else { return event }
        let found = Dictionary(zip(others, values), uniquingKeysWith: { first, _ in first })
        return event[..<comma] + "," + Self.usual.map { found[$0] ?? "" }.joined(separator: ",")
    }

    private static func formatLine(in lines: [Substring]) -> (index: Int, text: Substring)? {
        var isInEvents = false
        for (index, line) in lines.enumerated() {
            if line.hasPrefix("[") { isInEvents = line.lowercased().hasPrefix("[events]") }
            if isInEvents, line.lowercased().hasPrefix("format:") { return (index, line) }
        }
        return nil
    }
}
