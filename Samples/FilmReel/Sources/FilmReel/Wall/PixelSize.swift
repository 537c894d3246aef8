/// A size in pixels.
struct PixelSize: Hashable, Sendable {
    var width: Int
    var height: Int
}
