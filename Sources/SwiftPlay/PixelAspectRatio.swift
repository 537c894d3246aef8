/// The width of a sample divided by its height, as a fraction (AVVideoPixelAspectRatio).
public struct PixelAspectRatio: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The horizontal spacing: the numerator.
    public let horizontalSpacing: Int
    /// The vertical spacing: the denominator.
    public let verticalSpacing: Int

    /// Creates a ratio. It becomes ``square`` if one of the numbers is not positive.
    ///
    /// - Parameters:
    ///   - horizontalSpacing: The numerator.
    ///   - verticalSpacing: The denominator.
    public init(horizontalSpacing: Int, verticalSpacing: Int) {
        let isValid = horizontalSpacing > 0 && verticalSpacing > 0
        self.horizontalSpacing = isValid ? horizontalSpacing : 1
        self.verticalSpacing = isValid ? verticalSpacing : 1
    }

    /// The keys of the encoded ratio.
    private enum CodingKeys: CodingKey { case horizontalSpacing, verticalSpacing }

    /// Decodes a ratio. It becomes ``square`` if one of the numbers is not positive.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if a number is missing or not an integer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            horizontalSpacing: try container.decode(Int.self, forKey: .horizontalSpacing),
            verticalSpacing: try container.decode(Int.self, forKey: .verticalSpacing))
    }

    /// The ratio of square samples.
    public static let square = PixelAspectRatio(horizontalSpacing: 1, verticalSpacing: 1)

    /// The ratio as `16:11`.
    public var description: String { "\(horizontalSpacing):\(verticalSpacing)" }
}
