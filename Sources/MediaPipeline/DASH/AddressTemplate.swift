/// An address with identifiers that a client replaces, such as `$RepresentationID$/$Number%05d$.m4s` (ISO/IEC 23009-1,
/// section 5.3.9.4.4). A pure value.
struct AddressTemplate: Sendable, Equatable {
    /// An identifier in a template, which a client replaces by a value.
    enum Identifier: String, Sendable {
        case representation = "RepresentationID"
        case number = "Number"
        case bandwidth = "Bandwidth"
        case time = "Time"
    }

    /// A part of a template: text that is copied, or an identifier.
    private enum Part: Sendable, Equatable {
        case text(String)
        /// An identifier whose value is padded with zeros to a number of digits.
        case identifier(Identifier, width: Int)
    }

    private let parts: [Part]

    /// The maximum number of digits to which a value is padded.
    private static let paddingWidthLimit = 32

    /// Splits a template into its parts; nil if an identifier is unknown, has a malformed width or is not closed.
    init?(_ text: String) {
        // Every second piece is an identifier; an empty identifier comes from `$$`, which means a dollar sign.
        let pieces = text.split(separator: "$", omittingEmptySubsequences: false)
        guard pieces.count % 2 == 1 else { return nil }
        var parts: [Part] = []
        for (index, piece) in pieces.enumerated() {
            if index % 2 == 0 {
                if !piece.isEmpty { parts.append(.text(String(piece))) }
            } else if piece.isEmpty {
                parts.append(.text("$"))
            } else {
                guard let identifierPart = Self.identifier(piece) else { return nil }
                parts.append(identifierPart)
            }
        }
        self.parts = parts
    }

    /// Parses an identifier with its optional padding, such as `Number%05d`; nil if it is unknown or malformed.
    private static func identifier(_ text: Substring) -> Part? {
        let pieces = text.split(separator: "%", omittingEmptySubsequences: false)
        guard pieces.count <= 2, let identifier = Identifier(rawValue: String(pieces[0])) else { return nil }
        guard pieces.count == 2 else { return .identifier(identifier, width: 1) }
        guard pieces[1].hasPrefix("0"), pieces[1].hasSuffix("d"), identifier != .representation,
            let width = Int(pieces[1].dropLast()), (0...paddingWidthLimit).contains(width)
        else { return nil }
        return .identifier(identifier, width: width)
    }

    /// Whether the template contains an identifier.
    func contains(_ identifier: Identifier) -> Bool {
        parts.contains { if case .identifier(identifier, _) = $0 { true } else { false } }
    }

    /// Returns the address with all identifiers replaced.
    func text(representation: String, bandwidth: Int, number: Int = 0, time: Int = 0) -> String {
        var result = ""
        for part in parts {
            switch part {
            case .text(let text): result += text
            case .identifier(.representation, _): result += representation
            case .identifier(.number, let width): result += Self.padded(number, toWidth: width)
            case .identifier(.bandwidth, let width): result += Self.padded(bandwidth, toWidth: width)
            case .identifier(.time, let width): result += Self.padded(time, toWidth: width)
            }
        }
        return result
    }

    private static func padded(_ number: Int, toWidth width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
