/// A display server's report that a picture was shown.
package struct PresentFeedback: Sendable, Equatable {
    /// The host time at which the picture was sent to the server, in nanoseconds.
    package let submittedTime: Int64
    /// The host time at which the picture appeared on screen, in nanoseconds.
    package let shownTime: Int64
    /// Whether the picture waited for the screen's refresh, which prevents tearing.
    package let isSynchronised: Bool

    /// Creates a report.
    package init(submittedTime: Int64, shownTime: Int64, isSynchronised: Bool) {
        self.submittedTime = submittedTime
        self.shownTime = shownTime
        self.isSynchronised = isSynchronised
    }
}
