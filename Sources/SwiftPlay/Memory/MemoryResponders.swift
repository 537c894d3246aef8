import SystemCalls

/// An object that gives memory back on request.
package protocol MemoryResponder: AnyObject, Sendable {
    /// Gives memory back. The work for an object is constant, or is split so that no lock is held for longer than 100
    /// microseconds. May call back into the program, on the calling thread.
    func reduceMemory(to reduction: MemoryReduction)

    /// The memory that the object's values take, in bytes, as the program states it. Takes constant time.
    var memoryByteCount: Int { get }
}

/// A list of the objects that give memory back on a memory warning or a change of role. Any thread.
///
/// The list does not keep its members alive.
package final class MemoryResponders: Sendable {
    /// The list that all public types join.
    package static let shared = MemoryResponders()

    /// The members, by their identity.
    private let members = Monitor<[ObjectIdentifier: WeakResponder]>([:])

    package init() {}

    /// The number of members.
    package var count: Int { members.withLock { $0.count } }

    /// Adds an object, which must call ``remove(_:)`` in its `deinit`.
    package func add(_ responder: some MemoryResponder) {
        let reference = WeakResponder(responder)
        members.withLock { $0[ObjectIdentifier(responder)] = reference }
    }

    /// Removes an object. Does nothing if it is no member.
    package func remove(_ responder: some MemoryResponder) {
        // The reference is released after the lock.
        let removed = members.withLock { $0.removeValue(forKey: ObjectIdentifier(responder)) }
        withExtendedLifetime(removed) {}
    }

    /// Asks all members to give memory back, one after another on the calling thread. No lock is held meanwhile:
    /// members may join and leave. Not for the threads of media, because members may call back into the program.
    package func reduceMemory(to reduction: MemoryReduction) {
        for reference in members.withLock({ $0 }).values { reference.responder?.reduceMemory(to: reduction) }
    }

    /// The sum of the members' ``MemoryResponder/memoryByteCount``.
    package var byteCount: Int {
        members.withLock { $0 }.values.reduce(0) { sum, reference in
            let (total, overflows) = sum.addingReportingOverflow(reference.responder?.memoryByteCount ?? 0)
            return overflows ? .max : total
        }
    }

    /// A reference that does not keep its object alive.
    private final class WeakResponder: @unchecked Sendable {
        // @unchecked Sendable: the reference is only read after initialisation, and the runtime makes reading of weak
        // references atomic.
        /// The object; nil once it was released.
        private(set) weak var responder: (any MemoryResponder)?

        init(_ responder: any MemoryResponder) { self.responder = responder }
    }
}
