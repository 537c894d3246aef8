/// A size in pixels.
struct PixelArea: Hashable, Sendable {
    var width: Int
    var height: Int
}
