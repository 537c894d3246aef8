/// Content that may be discarded while it is not in use (NSDiscardableContent). Any thread.
///
/// A counter states how many users access the content. Content is never discarded while the counter is above zero.
public protocol DiscardableContent: AnyObject, Sendable {
    /// Increases the counter, so that the content stays.
    ///
    /// - Returns: Whether the content is still there. If it is not, the counter is unchanged, and the content must be
    ///   made again.
    func beginContentAccess() -> Bool

    /// Decreases the counter after a ``beginContentAccess()`` that returned true. At zero, the content may be
    /// discarded.
    func endContentAccess()

    /// Discards the content at once if the counter is zero.
    func discardContentIfPossible()

    /// Whether the content is known to be gone. If this is false, ``beginContentAccess()`` may still fail.
    var isContentDiscarded: Bool { get }
}
