/// The order of the fields of events in an ASS script. A pure value.
///
/// All code after the decoder expects the usual order. Matroska always uses the usual order, although its header may
/// still contain the different order of the original script file. In a script file, the header is correct.
struct ScriptFields: Sendable {
    /// The usual order of the fields of an event after layer, start and end.
    private static let usualOrder = ["style", "name", "marginl", "marginr", "marginv", "effect", "text"]
    /// The line of a script header that states the usual field order.
    private static let usualFormat = "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text"
    /// The field names after layer, start and end, in the script's order; empty for the usual order.
    private let scriptOrder: [String]

    /// Reads the field order from a script header.
    init(header: String) {
        guard let line = Self.formatLine(in: header.split(whereSeparator: \.isNewline)) else {
            scriptOrder = []
            return
        }
        let names = line.text.dropFirst("Format:".count).split(separator: ",").map { name in
            let name = name.filter { !$0.isWhitespace }.lowercased()
            return name == "actor" ? "name" : name
        }.dropFirst(3)
        scriptOrder = Array(names) == Self.usualOrder || names.last != "text" ? [] : Array(names)
    }

    /// Returns a script header that states the usual field order.
    func usual(header: String) -> String {
        guard !scriptOrder.isEmpty else { return header }
        var lines = header.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard let line = Self.formatLine(in: lines) else { return header }
        lines[line.index] = Self.usualFormat[...]
        return lines.joined(separator: "\n")
    }

    /// Returns an event (`Layer,…`) with its fields in the usual order.
    func usual(_ event: String) -> String {
        guard !scriptOrder.isEmpty, let comma = event.firstIndex(of: ",") else { return event }
        let rest = event[event.index(after: comma)...]
        let asUsual = rest.split(separator: ",", maxSplits: Self.usualOrder.count - 1, omittingEmptySubsequences: false)
        // Margins are numeric or empty: if they are in the usual place, the event has the usual order, whatever the
        // header states.
        if asUsual.count == Self.usualOrder.count,
            asUsual[2...4].allSatisfy({ $0.allSatisfy { $0.isNumber || $0.isWhitespace } })
        {
            return event
        }
        let values = rest.split(separator: ",", maxSplits: scriptOrder.count - 1, omittingEmptySubsequences: false)
        guard values.count == scriptOrder.count else { return event }
        let found = Dictionary(zip(scriptOrder, values), uniquingKeysWith: { first, _ in first })
        return event[..<comma] + "," + Self.usualOrder.map { found[$0] ?? "" }.joined(separator: ",")
    }

    /// Returns the line of the section `[Events]` that states the field order.
    private static func formatLine(in lines: [Substring]) -> (index: Int, text: Substring)? {
        var isInEvents = false
        for (index, line) in lines.enumerated() {
            if line.hasPrefix("[") { isInEvents = line.lowercased().hasPrefix("[events]") }
            if isInEvents, line.lowercased().hasPrefix("format:") { return (index, line) }
        }
        return nil
    }
}
