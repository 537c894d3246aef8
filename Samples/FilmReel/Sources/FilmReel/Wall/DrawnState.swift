/// What the surface of the wall contains at the moment.
struct DrawnState {
    /// The offset for which the ring was drawn; nil if it contains nothing.
    var offset: Int?
    /// The visible posters that are drawn as placeholders, at least in part.
    var placeholders: Set<Int> = []
    /// The posters that look different from what is drawn.
    var outdated: Set<Int> = []
    /// Whether the server may be reading the surface, which must not change meanwhile.
    var isServerReading = false
    /// Whether a frame was due while the server was reading.
    var isFrameDue = false
    /// How long the main thread worked on the frame that the server is reading, in seconds.
    var work = 0.0
}
