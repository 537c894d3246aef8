import DequeModule
import SystemCalls

/// A queue between two threads, bounded by a limit that may change while it runs. After ``reset(to:)`` what belongs to
/// an older generation is gone and is refused at the door, so nobody waits for room for something nobody wants.
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

    /// What became of a new element.
    private enum Outcome { case refused, first, behindOthers }

    private let state: Monitor<State>
    /// Signalled when an element arrives in an empty queue. A consumer that leaves elements behind knows of them.
    private let arrival: EventDescriptor?

    /// - Parameters:
    ///   - limit: in the unit of the costs: bytes, frames, nanoseconds.
    ///   - arrival: wakes a consumer that polls.
    package init(limit: Int, arrival: EventDescriptor? = nil) {
        state = Monitor(State(limit: limit))
        self.arrival = arrival
    }

    /// Waits for room and puts `element` at the end. An element dearer than the whole limit is let into an empty queue.
    ///
    /// - Returns: false when it was not taken: the queue was closed or reset to another generation.
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

    /// Would an element of `generation` be taken, where there is room?
    package func takes(generation: UInt32) -> Bool { state.withLock { !$0.isClosed && $0.generation == generation } }

    /// Puts `element` at the end whatever the limit: for one who keeps the bound himself.
    package func pushWithoutWaiting(_ element: Element, cost: Int, generation: UInt32) -> Bool {
        let outcome: Outcome = state.update { state in
            guard !state.isClosed, state.generation == generation else { return .refused }
            return state.append(element, cost)
        }
        if outcome == .first { arrival?.signal() }
        return outcome != .refused
    }

    /// The first element, waited for; nil when the queue is closed or the deadline came.
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

    /// The first element if there is one.
    package func popIfAny() -> Element? {
        state.update { state in
            guard let first = state.elements.popFirst() else { return nil }
            state.cost -= first.cost
            return first.element
        }
    }

    /// The first element, left where it is.
    package var first: Element? { state.withLock { $0.elements.first?.element } }

    package var count: Int { state.withLock { $0.elements.count } }
    package var cost: Int { state.withLock { $0.cost } }
    package var limit: Int { state.withLock { $0.limit } }
    package func setLimit(_ limit: Int) { state.update { $0.limit = limit } }

    /// Throws everything away; from now on only elements of `generation` are taken.
    package func reset(to generation: UInt32) {
        let old = state.update { state in
            state.generation = generation
            state.cost = 0
            defer { state.elements = [] }
            return state.elements
        }
        // Frames go back to their pool here, outside the lock.
        _ = consume old
    }

    /// Wakes everyone for good.
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
