import Glibc

/// The status line of the program in its terminal: a message, the state, the time, the length and a bar.
struct StatusText: Equatable {
    /// The state of playback.
    enum State: Equatable {
        case playing, paused, opening, idle
        /// Playback waits for data. The number is the percentage that has arrived; nil if it is not known.
        case buffering(percent: Int?)
    }

    var state = State.playing
    var hasVideo = false
    var hasAudio = true
    /// The position in seconds.
    var time = 0.0
    /// The duration in seconds; not finite if it is not known.
    var duration = Double.nan
    /// The position up to which the item is loaded, in seconds; nil if it is not shown.
    var loadedEnd: Double?
    /// A message about the last key; nil for none.
    var message: String?

    /// The smallest and the largest width of the bar.
    private static let barWidths = 10...40

    /// Returns the line for a terminal with a number of columns.
    ///
    /// - Parameter isASCII: Whether the bar consists of ASCII characters.
    func line(columns: Int, isASCII: Bool) -> String {
        var parts: [String] = []
        if let message { parts.append(message) }
        switch state {
        case .playing: break
        case .paused: parts.append("(Paused)")
        case .buffering(let percent): parts.append(percent.map { "(Buffering \($0)%)" } ?? "(Buffering)")
        case .opening: return (parts + ["(Opening)"]).joined(separator: " ")
        case .idle: return (parts + ["(Idle)"]).joined(separator: " ")
        }
        let kinds = (hasAudio ? "A" : "") + (hasVideo ? "V" : "")
        parts.append((kinds.isEmpty ? "" : kinds + ": ") + ClockText.text(time))
        if duration.isFinite, duration > 0 {
            let percent = Int(min(100, max(0, time / duration * 100)).rounded(.down))
            parts.append("/ \(ClockText.text(duration)) (\(percent)%)")
        }
        let text = parts.joined(separator: " ")
        let barWidth = min(Self.barWidths.upperBound, columns - 2 - text.unicodeScalars.count)
        guard barWidth >= Self.barWidths.lowerBound,
            let bar = ProgressText.line(
                played: time, loaded: loadedEnd, duration: duration, width: barWidth, isASCII: isASCII)
        else { return text }
        return text + " " + bar
    }

    /// Whether the user's locale, as the environment states it, has only ASCII characters.
    ///
    /// - Parameter environment: Returns the value of an environment variable; nil if it is not set.
    static func isASCII(
        environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }
    ) -> Bool {
        // The first variable with a value decides (POSIX, "Environment Variables").
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(environment).first { !$0.isEmpty }
        guard let locale = locale?.lowercased() else { return true }
        return !locale.hasSuffix("utf-8") && !locale.hasSuffix("utf8")
    }
}
