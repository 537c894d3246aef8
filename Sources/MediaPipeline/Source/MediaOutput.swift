/// The consumer's end of one bounded queue of a ``MediaSource``: decoded frames, audio blocks, subtitles or events, in
/// order.
///
/// Items are values or shared frames, so that the producer may be another process. The producer waits while the queue
/// is full. A seek empties the frame and audio queues before it returns; items of older generations never arrive
/// afterwards.
///
/// Any thread may call any method. Usually one thread takes items; if several threads do, each item goes to
/// one of them.
package protocol MediaOutput<Item>: AnyObject, Sendable {
    associatedtype Item: Sendable

    /// The first item, which stays in the queue; nil if the queue is empty or closed. Never waits.
    var first: Item? { get }
    /// The number of items in the queue.
    var count: Int { get }
    /// The largest sum of the items' costs: 1 per frame, 1 or 2 per event, nanoseconds for audio, bytes for subtitles.
    var limit: Int { get }
    /// Changes ``limit``. A smaller limit removes no items; the producer waits until the sum of costs is below the
    /// limit.
    func setLimit(_ limit: Int)
    /// Removes and returns the first item; nil if the queue is empty or closed. Never waits.
    func popIfAny() -> Item?
    /// Removes and returns the first item; waits for one if the queue is empty.
    ///
    /// - Parameter deadline: The deadline in host nanoseconds; nil waits until the queue is closed.
    /// - Returns: nil if the queue is closed or the deadline has passed.
    func pop(until deadline: Int64?) -> Item?
    /// Closes the queue permanently: removes all items and refuses new items. Waiting ``pop(until:)`` calls return nil.
    /// Idempotent.
    func close()
}

extension MediaOutput {
    /// Removes and returns the first item; waits until there is one or the queue is closed.
    package func pop() -> Item? { pop(until: nil) }
}

extension BoundedQueue: MediaOutput {
    package typealias Item = Element
}
