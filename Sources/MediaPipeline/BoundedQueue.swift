import DequeModule
import SystemCalls

/// A bounded queue between two threads, whose limit may change at any time.
///
/// Every element belongs to a generation: the number of the seek after which it was produced. ``reset(to:)`` discards
/// all elements and then accepts only elements of the new generation, so that a producer does not wait for space for
/// obsolete elements.
package final class BoundedQueue<Element: Sendable>: Sendable {
    /// The content of the queue, protected by a lock.
    private struct State {
        var elements = Deque<(element: Element, cost: Int)>()
        /// The sum of the costs of all queued elements.
        var cost = 0
        var limit: Int
        /// The argument of the last ``reset(to:)``; elements of other generations are refused.
        var generation: UInt32 = 0
        var isClosed = false

        /// Appends an element; the result states whether the queue was empty before.
        mutating func append(_ element: Element, _ cost: Int) -> InsertionResult {
            defer {
                elements.append((element, cost))
                self.cost += cost
            }
            return elements.isEmpty ? .onlyElement : .behindOthers
        }
    }

    /// The result of an insertion: the queue refused the element, or the element is now the only one in the queue, or
    /// it stands behind other elements.
    private enum InsertionResult { case refused, onlyElement, behindOthers }

    private let state: Monitor<State>
    /// The event that is signalled when an element is added to an empty queue, to wake a polling consumer.
    private let arrivalEvent: EventDescriptor?

    /// Creates an empty queue of generation 0.
    ///
    /// - Parameters:
    ///   - limit: The limit in the unit of the costs: bytes, frames or nanoseconds.
    ///   - arrival: Signalled when an element arrives in an empty queue, to wake a polling consumer.
    package init(limit: Int, arrival: EventDescriptor? = nil) {
        state = Monitor(State(limit: limit))
        arrivalEvent = arrival
    }

    /// Waits for space and appends `element`. An empty queue accepts an element whose cost exceeds the limit.
    ///
    /// - Returns: false if the queue was closed or was reset to another generation.
    package func push(_ element: Element, cost: Int, generation: UInt32) -> Bool {
        let result: InsertionResult? = state.wait { state in
            guard !state.isClosed, state.generation == generation else { return .refused }
            guard state.elements.isEmpty || state.cost + cost <= state.limit else { return nil }
            return state.append(element, cost)
        }
        guard let result, result != .refused else { return false }
        state.notify()
        if result == .onlyElement { arrivalEvent?.signal() }
        return true
    }

    /// Returns whether the queue accepts elements of `generation`, regardless of space.
    package func accepts(generation: UInt32) -> Bool { state.withLock { !$0.isClosed && $0.generation == generation } }

    /// Appends `element` without waiting, even if the limit is exceeded. The caller enforces a limit itself.
    ///
    /// - Returns: false if the queue was closed or was reset to another generation.
    package func pushWithoutWaiting(_ element: Element, cost: Int, generation: UInt32) -> Bool {
        let result: InsertionResult = state.update { state in
            guard !state.isClosed, state.generation == generation else { return .refused }
            return state.append(element, cost)
        }
        if result == .onlyElement { arrivalEvent?.signal() }
        return result != .refused
    }

    /// Waits for the first element, removes it and returns it; nil if the queue is closed or the deadline (host
    /// nanoseconds) has passed.
    package func pop(until deadline: Int64? = nil) -> Element? {
        let poppedElement: Element?? = state.wait(until: deadline) { state in
            if state.isClosed { return .some(nil) }
            guard let firstEntry = state.elements.popFirst() else { return nil }
            state.cost -= firstEntry.cost
            return .some(firstEntry.element)
        }
        guard let element = poppedElement ?? nil else { return nil }
        state.notify()
        return element
    }

    /// Removes and returns the first element; nil if the queue is empty.
    package func popIfAny() -> Element? {
        state.update { state in
            guard let firstEntry = state.elements.popFirst() else { return nil }
            state.cost -= firstEntry.cost
            return firstEntry.element
        }
    }

    /// The first element of the queue, which is not removed; nil if the queue is empty.
    package var first: Element? { state.withLock { $0.elements.first?.element } }

    package var count: Int { state.withLock { $0.elements.count } }
    /// The sum of the costs of all queued elements.
    package var cost: Int { state.withLock { $0.cost } }
    /// The sum of costs at which ``push(_:cost:generation:)`` waits.
    package var limit: Int { state.withLock { $0.limit } }
    /// Changes the limit of the costs. A smaller limit removes no element.
    package func setLimit(_ limit: Int) { state.update { $0.limit = limit } }

    /// Removes all elements; from now on only elements of `generation` are accepted.
    package func reset(to generation: UInt32) {
        let removedElements = state.update { state in
            state.generation = generation
            state.cost = 0
            defer { state.elements = [] }
            return state.elements
        }
        // Release the removed elements outside the lock, because releasing a frame returns its memory to the frame
        // pool.
        _ = consume removedElements
    }

    /// Closes the queue permanently: removes all elements and wakes all waiting threads.
    package func close() {
        let removedElements = state.update { state in
            state.isClosed = true
            state.cost = 0
            defer { state.elements = [] }
            return state.elements
        }
        _ = consume removedElements
    }
}
