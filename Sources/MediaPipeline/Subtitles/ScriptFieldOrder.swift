/// The order of the fields of events in an ASS script. A pure value.
///
/// All code that uses decoded events expects the standard order. Matroska always uses the standard order, although its
/// header may still contain the different order of the original script file. In a script file, the header is correct.
struct ScriptFieldOrder: Sendable {
    /// The standard order of the fields of an event after layer, start and end.
    private static let standardOrder = ["style", "name", "marginl", "marginr", "marginv", "effect", "text"]
    /// The line of a script header that states the standard field order.
    private static let standardFormatLine =
        "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text"
    /// The field names after layer, start and end, in the script's order; empty for the standard order.
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
        scriptOrder = Array(names) == Self.standardOrder || names.last != "text" ? [] : Array(names)
    }

    /// Returns a script header that states the standard field order.
    func headerInStandardOrder(_ header: String) -> String {
        guard !scriptOrder.isEmpty else { return header }
        var lines = header.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard let line = Self.formatLine(in: lines) else { return header }
        lines[line.index] = Self.standardFormatLine[...]
        return lines.joined(separator: "\n")
    }

    /// Returns an event (`Layer,…`) with its fields in the standard order.
    func eventInStandardOrder(_ event: String) -> String {
        guard !scriptOrder.isEmpty, let commaIndex = event.firstIndex(of: ",") else { return event }
        let fieldText = event[event.index(after: commaIndex)...]
        let standardFields = fieldText.split(
            separator: ",", maxSplits: Self.standardOrder.count - 1, omittingEmptySubsequences: false)
        // Margins are numeric or empty: if they are in their standard place, the event has the standard order, whatever
        // the header states.
        if standardFields.count == Self.standardOrder.count,
            standardFields[2...4].allSatisfy({ $0.allSatisfy { $0.isNumber || $0.isWhitespace } })
        {
            return event
        }
        let values = fieldText.split(separator: ",", maxSplits: scriptOrder.count - 1, omittingEmptySubsequences: false)
        guard values.count == scriptOrder.count else { return event }
        let valuesByName = Dictionary(zip(scriptOrder, values), uniquingKeysWith: { first, _ in first })
        return event[..<commaIndex] + "," + Self.standardOrder.map { valuesByName[$0] ?? "" }.joined(separator: ",")
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
