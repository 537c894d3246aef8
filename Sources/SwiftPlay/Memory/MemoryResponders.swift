import SystemCalls

/// An object that releases memory on request.
package protocol MemoryResponder: AnyObject, Sendable {
    /// Releases memory. Holds no lock for longer than 100 microseconds. May call functions of the program, on the
    /// calling thread.
    func reduceMemory(to reduction: MemoryReduction)

    /// The memory that the object reports for its contents, in bytes; 0 if the kernel can reclaim that memory itself.
    /// The getter must take constant time.
    var memoryByteCount: Int { get }
}

/// A list of the objects that release memory after a memory warning or a change of role. Safe to use from any thread.
///
/// The list does not keep its members alive.
package final class MemoryResponders: Sendable {
    /// The list of the process, to which all caches, stores and purgeable buffers belong.
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
        // The reference is released after the lock is unlocked.
        let removedReference = members.withLock { $0.removeValue(forKey: ObjectIdentifier(responder)) }
        withExtendedLifetime(removedReference) {}
    }

    /// Calls ``MemoryResponder/reduceMemory(to:)`` of all members, one after another. No lock is held meanwhile, so
    /// that members may join and leave. Do not call this method on a thread that plays media: the members may call
    /// functions of the program, which may take long.
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
