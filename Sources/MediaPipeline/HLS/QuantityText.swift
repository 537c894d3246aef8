import SharedFrames

/// Formats quantities as text for the explanations of ``VariantChooser``.
enum QuantityText {
    /// Returns a bit rate such as "2.93 Mb/s", "845 kb/s" or "0 kb/s".
    static func bitRate(_ bitsPerSecond: Double) -> String {
        bitsPerSecond >= 1_000_000
            ? "\(decimal(bitsPerSecond / 1_000_000, places: 2)) Mb/s"
            : "\(decimal(bitsPerSecond / 1_000, places: 0)) kb/s"
    }

    /// Returns a duration such as "12.5 s" or "-0.5 s".
    static func seconds(_ seconds: Double) -> String { "\(decimal(seconds, places: 1)) s" }

    /// Returns a number of bytes such as "12.5 MB" or "20 kB".
    static func bytes(_ bytes: Int64) -> String {
        bytes >= 1_000_000
            ? "\(decimal(Double(bytes) / 1_000_000, places: 1)) MB" : "\(decimal(Double(bytes) / 1_000, places: 0)) kB"
    }

    /// Returns a fraction as a percentage such as "85 %".
    static func percent(_ fraction: Double) -> String { "\(decimal(fraction * 100, places: 0)) %" }

    /// Returns a picture size such as "1280×720".
    static func size(_ size: PixelSize) -> String { "\(size.width)×\(size.height)" }

    /// Returns the number with a fixed number of decimal places. Foundation's formatting is not available here.
    private static func decimal(_ value: Double, places: Int) -> String {
        let factor = places == 0 ? 1.0 : places == 1 ? 10 : 100
        guard let scaled = Int64(exactly: (value * factor).rounded()) else { return value.isNaN ? "unknown" : "huge" }
        let (whole, remainder) = scaled.magnitude.quotientAndRemainder(dividingBy: UInt64(factor))
        let sign = scaled < 0 ? "-" : ""
        guard places > 0 else { return "\(sign)\(whole)" }
        let digits = String(remainder)
        return "\(sign)\(whole)." + String(repeating: "0", count: places - digits.count) + digits
    }
}
