/// What the display server says about a picture it was given.
package struct PresentFeedback: Sendable, Equatable {
    /// Host time at which it was given away.
    package let given: Int64
    /// Host time at which it came on screen.
    package let shown: Int64
    /// It was held back for the screen's refresh, so that it is not torn.
    package let isSynchronised: Bool

    package init(given: Int64, shown: Int64, isSynchronised: Bool) {
        self.given = given
        self.shown = shown
        self.isSynchronised = isSynchronised
    }
}
