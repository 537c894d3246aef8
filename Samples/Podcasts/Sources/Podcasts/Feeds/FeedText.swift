import Foundation

/// The conversion of texts of a feed, which may contain anything, into values.
enum FeedText {
    /// The longest title, in characters.
    static let titleLimit = 300

    /// Returns a title on one line, without characters that control a terminal or the direction of text.
    static func title(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: " "
            // Marks that reverse the direction of the text after them.
            case .format where (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value): " "
            default: scalar
            }
        }
        let words = String(String.UnicodeScalarView(scalars)).split(separator: " ")
        return String(words.joined(separator: " ").prefix(titleLimit))
    }

    /// Returns an http or https address, which may be relative to the address of the feed; nil for all others.
    static func address(_ text: String, relativeTo feed: URL) -> URL? {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !trimmed.isEmpty, let url = URL(string: trimmed, relativeTo: feed)?.absoluteURL,
            ["http", "https"].contains(url.scheme?.lowercased()), url.host?.isEmpty == false
        else { return nil }
        return url
    }

    /// Returns seconds from a duration such as `1:02:03`, `62:03` or `3723`; nil if the text has another form.
    static func duration(_ text: String) -> Int? {
        let parts = text.trimmingCharacters(in: .whitespacesAndNewlines)
            .split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count) else { return nil }
        var seconds = 0
        for part in parts {
            // Some feeds state fractions of seconds.
            guard let value = Int(part.prefix { $0 != "." }), (0...1_000_000).contains(value) else { return nil }
            seconds = seconds * 60 + value
        }
        return seconds
    }

    /// The forms of dates in RSS (RFC 822), which many feeds do not follow strictly.
    private static let dateFormats = [
        "EEE, dd MMM yyyy HH:mm:ss zzz", "dd MMM yyyy HH:mm:ss zzz", "EEE, dd MMM yyyy HH:mm zzz",
    ]

    /// Returns a date of RSS (RFC 822) or Atom (RFC 3339); nil if the text has another form.
    static func date(_ text: String) -> Date? {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard trimmed.utf8.count <= 64 else { return nil }
        if let date = try? Date(trimmed, strategy: .iso8601) { return date }
        if let date = try? Date(trimmed, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)) {
            return date
        }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        for format in dateFormats {
            formatter.dateFormat = format
            if let date = formatter.date(from: trimmed) { return date }
        }
        return nil
    }
}
