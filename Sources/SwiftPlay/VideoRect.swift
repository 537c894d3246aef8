/// A rectangle in pixels (CGRect). The y axis points down.
public struct VideoRect: Hashable, Sendable, Codable, CustomStringConvertible {
    /// The left edge, in pixels.
    public var x: Int
    /// The top edge, in pixels.
    public var y: Int
    /// The width and the height in pixels.
    public var size: VideoSize

    /// Creates a rectangle by its left and top edge and its size.
    ///
    /// - Parameters:
    ///   - x: The left edge, in pixels.
    ///   - y: The top edge, in pixels.
    ///   - size: The width and the height in pixels.
    public init(x: Int, y: Int, size: VideoSize) { (self.x, self.y, self.size) = (x, y, size) }

    /// Creates a rectangle by its left and top edge, its width and its height.
    ///
    /// - Parameters:
    ///   - x: The left edge, in pixels.
    ///   - y: The top edge, in pixels.
    ///   - width: The width in pixels.
    ///   - height: The height in pixels.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.init(x: x, y: y, size: VideoSize(width: width, height: height))
    }

    /// The empty rectangle at the origin.
    public static let zero = VideoRect(x: 0, y: 0, size: .zero)

    /// The width in pixels.
    public var width: Int { size.width }
    /// The height in pixels.
    public var height: Int { size.height }

    /// The rectangle in X11's notation: `1280x720+320+180`.
    public var description: String { "\(size)\(x < 0 ? "" : "+")\(x)\(y < 0 ? "" : "+")\(y)" }
}
