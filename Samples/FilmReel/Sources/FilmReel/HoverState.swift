/// The poster under the pointer, which is previewed after the pointer has rested. A pure value; times are seconds.
struct HoverState: Equatable {
    /// The time after which the preview starts.
    static let delay = 0.4

    private var poster: Int?
    private var start = 0.0

    /// Records the poster under the pointer; nil if there is none.
    mutating func move(to poster: Int?, at time: Double) {
        guard poster != self.poster else { return }
        self.poster = poster
        start = time
    }

    /// Returns the poster to preview; nil if there is none.
    func index(at time: Double) -> Int? { time - start >= Self.delay ? poster : nil }

    /// Returns whether a preview will start if the pointer does not move.
    func isWaiting(at time: Double) -> Bool { poster != nil && time - start < Self.delay }
}
