/// A progress line of characters, for the last row of a terminal.
enum ProgressText {
    /// Returns a line of `width` characters: a heavy line for the played part, a light line for the part that is loaded
    /// ahead, and dots for the rest.
    ///
    /// - Parameters:
    ///   - played: The position in seconds.
    ///   - loaded: The position up to which the item is loaded, in seconds; nil if it is not shown.
    ///   - duration: The duration in seconds.
    ///   - isASCII: Whether the line consists of the characters `=`, `-` and `.`.
    /// - Returns: The line; nil if the duration is not known.
    static func line(played: Double, loaded: Double?, duration: Double, width: Int = 24, isASCII: Bool = false)
        -> String?
    {
        guard duration.isFinite, duration > 0, played.isFinite, width > 0 else { return nil }
        func column(_ time: Double) -> Int { Int((min(1, max(0, time / duration)) * Double(width)).rounded()) }
        let heavyEnd = column(played), lightEnd = max(heavyEnd, column(loaded.flatMap { $0.isFinite ? $0 : nil } ?? 0))
        let (heavy, light, dot) = isASCII ? ("=", "-", ".") : ("━", "─", "·")
        return String(repeating: heavy, count: heavyEnd) + String(repeating: light, count: lightEnd - heavyEnd)
            + String(repeating: dot, count: width - lightEnd)
    }
}
