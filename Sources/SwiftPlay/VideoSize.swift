/// A width and a height in pixels (CGSize).
public struct VideoSize: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The width in pixels.
    public var width: Int
    /// The height in pixels.
    public var height: Int

    /// Creates a size.
    ///
    /// - Parameters:
    ///   - width: The width in pixels.
    ///   - height: The height in pixels.
    public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    /// The size with width and height 0. Also stands for the size of a picture that is not known yet.
    public static let zero = VideoSize(width: 0, height: 0)

    /// The size as `1920x1080`.
    public var description: String { "\(width)x\(height)" }
}
