/// The consumer's end of one bounded queue of a ``MediaSource``: decoded frames, blocks of sound, subtitles, or events,
/// in order.
///
/// Items are values or shared frames, so that the producer may be another process. The queue is bounded: the producer
/// waits when it is full. A seek empties the queues of frames and sound before it returns; items of older generations
/// never come afterwards.
///
/// Any thread may call any method. One thread takes items; with several, each item goes to one of them.
package protocol MediaOutput<Item>: AnyObject, Sendable {
    associatedtype Item: Sendable

    /// The first item, which stays in the queue; nil if the queue is empty or closed. Never waits.
    var first: Item? { get }
    /// Items that wait.
    var count: Int { get }
    /// The largest sum of the items' costs: frames cost 1 each, sound its nanoseconds, subtitles their bytes, events 1.
    var limit: Int { get }
    /// Changes ``limit``. A smaller limit removes nothing; the producer waits until the queue is below it.
    func setLimit(_ limit: Int)
    /// Takes the first item; nil if the queue is empty or closed. Never waits.
    func popIfAny() -> Item?
    /// Takes the first item, waiting for one.
    ///
    /// - Parameter deadline: host nanoseconds; nil waits until the queue is closed.
    /// - Returns: nil when the queue is closed, or the deadline has passed.
    func pop(until deadline: Int64?) -> Item?
    /// Removes all items and refuses new ones for good. Waiting calls return nil. Idempotent.
    func close()
}

extension MediaOutput {
    /// Takes the first item, waiting until there is one or the queue is closed.
    package func pop() -> Item? { pop(until: nil) }
}

extension BoundedQueue: MediaOutput {
    package typealias Item = Element
}
