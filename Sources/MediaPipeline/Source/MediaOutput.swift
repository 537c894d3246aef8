/// The consumer's end of one bounded queue of a ``MediaSource``: decoded frames, audio blocks, subtitles or events, in
/// order.
///
/// Items are values or shared frames, so that the producer may be another process. The producer waits while the queue
/// is full. A seek empties the frame and audio queues before it returns; items of older generations never arrive
/// afterwards.
///
/// Any thread may call any method. One thread takes items; with several, each item goes to one of them.
package protocol MediaOutput<Item>: AnyObject, Sendable {
    associatedtype Item: Sendable

    /// The first item, which stays in the queue; nil if the queue is empty or closed. Never waits.
    var first: Item? { get }
    /// The number of items in the queue.
    var count: Int { get }
    /// The largest sum of the items' costs: 1 per frame or event, nanoseconds for audio, bytes for subtitles.
    var limit: Int { get }
    /// Changes ``limit``. A smaller limit removes nothing; the producer waits until the queue is below it.
    func setLimit(_ limit: Int)
    /// Takes the first item; nil if the queue is empty or closed. Never waits.
    func popIfAny() -> Item?
    /// Takes the first item, waiting for one if necessary.
    ///
    /// - Parameter deadline: The deadline in host nanoseconds; nil waits until the queue is closed.
    /// - Returns: nil if the queue is closed or the deadline has passed.
    func pop(until deadline: Int64?) -> Item?
    /// Removes all items and refuses new ones permanently. Waiting calls return nil. Idempotent.
    func close()
}

extension MediaOutput {
    /// Takes the first item, waiting until there is one or the queue is closed.
    package func pop() -> Item? { pop(until: nil) }
}

extension BoundedQueue: MediaOutput {
    package typealias Item = Element
}
