/// Content that may be discarded while it is not in use (NSDiscardableContent). Safe to use from any thread.
///
/// A counter states how many accesses are under way. Content is never discarded while the counter is above zero.
public protocol DiscardableContent: AnyObject, Sendable {
    /// Increases the counter, so that the content stays.
    ///
    /// - Returns: Whether the content is still present. If it was discarded, the counter is unchanged, and the program
    ///   must make the content again.
    func beginContentAccess() -> Bool

    /// Decreases the counter after a ``beginContentAccess()`` that returned true. At zero, the content may be
    /// discarded.
    func endContentAccess()

    /// Discards the content at once if the counter is zero.
    func discardContentIfPossible()

    /// Whether the content is known to be discarded. If this is false, ``beginContentAccess()`` may still return false.
    var isContentDiscarded: Bool { get }
}
