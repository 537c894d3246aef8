import SwiftPlay

extension StreamPreference {
    /// Parses a value of `--hls-bitrate`: `no`, `min`, `max` or bits per second; nil for other texts.
    init?(hlsBitrate text: String) {
        switch text {
        case "no": self.init()
        case "min": self.init(.lowest)
        case "max": self.init(.highest)
        default:
            guard let rate = Int64(text), rate > 0 else { return nil }
            self.init(peakBitRate: rate)
        }
    }

    /// The value of `--hls-bitrate`.
    var hlsBitrate: String {
        switch quality {
        case .lowest: "min"
        case .highest: "max"
        case .automatic: peakBitRate.map { "\($0)" } ?? "no"
        }
    }
}
