import Glibc

/// The gain that makes files equally loud, from the ReplayGain values in their metadata. A pure value.
struct ReplayGain: Sendable, Equatable {
    /// The values that are applied: the value of `--replaygain`.
    enum Mode: String, Sendable {
        case no, track, album
    }

    var mode = Mode.no
    /// The gain in decibels that is added to the gain of the file.
    var preamplification = 0.0
    /// Whether the gain may amplify the file's loudest sample beyond full scale.
    var allowsClipping = false
    /// The gain in decibels of files without values.
    var fallback = 0.0

    /// Returns the factor of the amplitude for a file.
    ///
    /// - Parameter metadata: The metadata of the file. Names of ReplayGain values are compared without case.
    func factor(metadata: [String: String]) -> Double {
        guard mode != .no else { return 1 }
        let values = Dictionary(metadata.map { ($0.lowercased(), $1) }) { first, _ in first }
        // As in mpv, the values of the track stand in for missing values of the album.
        let kinds = mode == .album ? ["album", "track"] : ["track"]
        guard let kind = kinds.first(where: { Self.number(values["replaygain_\($0)_gain"]) != nil }),
            let gain = Self.number(values["replaygain_\(kind)_gain"])
        else { return Self.factor(decibels: fallback) }
        let factor = Self.factor(decibels: gain + preamplification)
        guard !allowsClipping, let peak = Self.number(values["replaygain_\(kind)_peak"]), peak > 0 else {
            return factor
        }
        return min(factor, 1 / peak)
    }

    /// Returns the factor of the amplitude for a gain, which is limited to ±60 dB.
    private static func factor(decibels: Double) -> Double { pow(10, min(max(decibels, -200), 60) / 20) }

    /// Parses a value such as `-6.50 dB`; nil if it does not begin with a number.
    private static func number(_ text: String?) -> Double? {
        guard let word = text?.split(separator: " ").first, let number = Double(word), number.isFinite else {
            return nil
        }
        return number
    }
}
