extension UsageHistory {
    /// Returns what was learnt in one line, such as `weekdays about 13:00 and 19:00; weekends about 10:30`.
    package var text: String {
        // 1 January 1970 was a Thursday, and the third day was a Saturday.
        let parts = [("weekdays", LocalDay(number: 0)), ("weekends", LocalDay(number: 2))].compactMap { name, day in
            let times = peaks(on: day).map {
                FetchTime.text(ofLocalSeconds: Int64($0.targetSlot) * FetchTime.secondsPerSlot)
            }
            return times.isEmpty ? nil : "\(name) about \(Self.list(times))"
        }
        if !parts.isEmpty { return parts.joined(separator: "; ") }
        let count = recentOpeningCount
        return count == 0 ? "never opened" : "opened \(count) time\(count == 1 ? "" : "s"), at no regular time"
    }

    /// Returns at most six texts with commas and "and".
    private static func list(_ texts: [String]) -> String {
        let shown = texts.prefix(6)
        guard let last = shown.last, shown.count > 1 else { return shown.first ?? "" }
        return shown.dropLast().joined(separator: ", ") + " and " + last
    }
}
