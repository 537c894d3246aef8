/// The text of a time.
enum ClockText {
    /// Returns a number of seconds as hours, minutes and seconds, such as `01:02:03`; an empty string if it is not
    /// finite.
    static func text(_ seconds: Double) -> String {
        guard seconds.isFinite, abs(seconds) < 1e9 else { return "" }
        let totalSeconds = Int(abs(seconds))
        let parts = [totalSeconds / 3600, totalSeconds / 60 % 60, totalSeconds % 60]
        return (seconds < 0 ? "-" : "") + parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
