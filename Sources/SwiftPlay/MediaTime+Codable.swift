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
        let container = try decoder.container(keyedBy: Key.self)
        if let kind = try container.decodeIfPresent(String.self, forKey: .kind) {
            guard let time = Self.nonNumericTimes[kind] else {
                throw DecodingError.dataCorruptedError(
                    forKey: .kind, in: container, debugDescription: "unknown kind of time \(kind)")
            }
            self = time
            return
        }
        let timescale = try container.decode(Int32.self, forKey: .timescale)
        guard timescale > 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .timescale, in: container, debugDescription: "the timescale \(timescale) is not positive")
        }
        self.init(value: try container.decode(Int64.self, forKey: .value), timescale: timescale)
    }

    /// Encodes the time.
    ///
    /// - Throws: An error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        if let kindName = Self.nonNumericTimes.first(where: { $0.value == self })?.key {
            try container.encode(kindName, forKey: .kind)
        } else {
            try container.encode(value, forKey: .value)
            try container.encode(timescale, forKey: .timescale)
        }
    }
}
