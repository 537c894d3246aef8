/// The poster under the pointer, whose preview starts after the pointer has rested for ``delay``. Times are in seconds.
struct HoverState: Equatable {
    /// The time that the pointer must rest on a poster before its preview starts, in seconds.
    static let delay = 0.4

    private var posterIndex: Int?
    private var hoverStart = 0.0
    /// Whether the preview of the poster has ended.
    private var isFinished = false

    /// Records the poster under the pointer; nil if the pointer is not over a poster.
    mutating func move(to posterIndex: Int?, at time: Double) {
        guard posterIndex != self.posterIndex else { return }
        self.posterIndex = posterIndex
        hoverStart = time
        isFinished = false
    }

    /// Records that the preview has ended. It starts again only after the pointer was over another poster, or over
    /// none.
    mutating func finish() { isFinished = true }

    /// Returns the poster to preview at `time`; nil if no preview is due.
    func index(at time: Double) -> Int? { !isFinished && time - hoverStart >= Self.delay ? posterIndex : nil }

    /// Returns whether a preview will start later if the pointer does not move.
    func isWaiting(at time: Double) -> Bool {
        !isFinished && posterIndex != nil && time - hoverStart < Self.delay
    }
}
