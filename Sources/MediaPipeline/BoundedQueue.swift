import DequeModule
import SystemCalls

/// A bounded queue between two threads, whose limit may change at any time. ``reset(to:)`` discards all elements and
/// refuses elements of older generations, so that a producer does not wait for space for obsolete elements.
package final class BoundedQueue<Element: Sendable>: Sendable {
    private struct State {
        var elements = Deque<(element: Element, cost: Int)>()
        var cost = 0
        var limit: Int
        var generation: UInt32 = 0
        var isClosed = false

        mutating func append(_ element: Element, _ cost: Int) -> Outcome {
            defer {
                elements.append((element, cost))
                self.cost += cost
            }
            return elements.isEmpty ? .first : .behindOthers
        }
    }

    /// The result of an insertion.
    private enum Outcome { case refused, first, behindOthers }

    private let state: Monitor<State>
    /// Signalled when an element arrives in an empty queue. It is not signalled for elements behind others.
    private let arrival: EventDescriptor?

    /// - Parameters:
    ///   - limit: The limit in the unit of the costs: bytes, frames or nanoseconds.
    ///   - arrival: Wakes a polling consumer.
    package init(limit: Int, arrival: EventDescriptor? = nil) {
        state = Monitor(State(limit: limit))
        self.arrival = arrival
    }

    /// Waits for space and appends `element`. An empty queue accepts an element whose cost exceeds the limit.
    ///
    /// - Returns: false if the queue was closed or was reset to another generation.
    package func push(_ element: Element, cost: Int, generation: UInt32) -> Bool {
        let outcome: Outcome? = state.wait { state in
            guard !state.isClosed, state.generation == generation else { return .refused }
            guard state.elements.isEmpty || state.cost + cost <= state.limit else { return nil }
            return state.append(element, cost)
        }
        guard let outcome, outcome != .refused else { return false }
        state.notify()
        if outcome == .first { arrival?.signal() }
        return true
    }

    /// Returns whether the queue accepts elements of `generation`, regardless of space.
    package func takes(generation: UInt32) -> Bool { state.withLock { !$0.isClosed && $0.generation == generation } }

    /// Appends `element` regardless of the limit, for a caller that enforces a limit itself.
    ///
    /// - Returns: false if the queue was closed or was reset to another generation.
    package func pushWithoutWaiting(_ element: Element, cost: Int, generation: UInt32) -> Bool {
        let outcome: Outcome = state.update { state in
            guard !state.isClosed, state.generation == generation else { return .refused }
            return state.append(element, cost)
        }
        if outcome == .first { arrival?.signal() }
        return outcome != .refused
    }

    /// Waits for the first element and removes it; nil if the queue is closed or the deadline (host nanoseconds) has
    /// passed.
    package func pop(until deadline: Int64? = nil) -> Element? {
        let popped: Element?? = state.wait(until: deadline) { state in
            if state.isClosed { return .some(nil) }
            guard let first = state.elements.popFirst() else { return nil }
            state.cost -= first.cost
            return .some(first.element)
        }
        guard let element = popped ?? nil else { return nil }
        state.notify()
        return element
    }

    /// Removes and returns the first element; nil if the queue is empty.
    package func popIfAny() -> Element? {
        state.update { state in
            guard let first = state.elements.popFirst() else { return nil }
            state.cost -= first.cost
            return first.element
        }
    }

    /// The first element, which stays in the queue.
    package var first: Element? { state.withLock { $0.elements.first?.element } }

    package var count: Int { state.withLock { $0.elements.count } }
    package var cost: Int { state.withLock { $0.cost } }
    package var limit: Int { state.withLock { $0.limit } }
    package func setLimit(_ limit: Int) { state.update { $0.limit = limit } }

    /// Removes all elements; from now on only elements of `generation` are accepted.
    package func reset(to generation: UInt32) {
        let old = state.update { state in
            state.generation = generation
            state.cost = 0
            defer { state.elements = [] }
            return state.elements
        }
        // Release the elements outside the lock: frames return to their pool here.
        _ = consume old
    }

    /// Removes all elements and wakes all waiting threads; permanent.
    package func close() {
        let old = state.update { state in
            state.isClosed = true
            state.cost = 0
            defer { state.elements = [] }
            return state.elements
        }
        _ = consume old
    }
}
