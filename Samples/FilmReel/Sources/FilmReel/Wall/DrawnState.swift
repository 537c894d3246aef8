/// The current content of the surface on which the wall is drawn.
struct DrawnState {
    /// The scroll offset for which the surface was drawn; nil if the surface contains nothing.
    var offset: Int?
    /// The indices of the visible posters that are drawn as placeholders, at least in part.
    var placeholders: Set<Int> = []
    /// The indices of the posters that have changed since they were drawn.
    var outdated: Set<Int> = []
    /// Whether the X server may be reading the surface, so that the program must not change it.
    var isServerReading = false
    /// Whether a frame was due while the X server was reading.
    var isFrameDue = false
    /// The time in seconds that the main thread worked on the frame that the X server is reading.
    var workTime = 0.0
}
