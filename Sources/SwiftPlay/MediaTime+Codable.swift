/// Numeric times are coded as `value` and `timescale`, other times as their `kind`.
extension MediaTime: Codable {
    /// The keys of the encoded time: `value` and `timescale` for a numeric time, `kind` for any other.
    private enum Key: String, CodingKey { case value, timescale, kind }

    /// The times that are not numeric, by their encoded `kind`.
    private static let nonNumericTimes: [String: MediaTime] = [
        "invalid": .invalid, "indefinite": .indefinite, "positiveInfinity": .positiveInfinity,
        "negativeInfinity": .negativeInfinity,
    ]

    /// Decodes a time.
    ///
    /// - Throws: `DecodingError` if a value is missing, the timescale is not positive, or the kind is unknown.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        if let kind = try values.decodeIfPresent(String.self, forKey: .kind) {
            guard let time = Self.nonNumericTimes[kind] else {
                throw DecodingError.dataCorruptedError(
                    forKey: .kind, in: values, debugDescription: "unknown kind of time \(kind)")
            }
            self = time
            return
        }
        let timescale = try values.decode(Int32.self, forKey: .timescale)
        guard timescale > 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .timescale, in: values, debugDescription: "the timescale \(timescale) is not positive")
        }
        self.init(value: try values.decode(Int64.self, forKey: .value), timescale: timescale)
    }

    /// Encodes the time.
    ///
    /// - Throws: An error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        if let name = Self.nonNumericTimes.first(where: { $0.value == self })?.key {
            try values.encode(name, forKey: .kind)
        } else {
            try values.encode(value, forKey: .value)
            try values.encode(timescale, forKey: .timescale)
        }
    }
}
