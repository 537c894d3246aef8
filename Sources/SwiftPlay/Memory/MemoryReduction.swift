/// The amount of memory that caches release.
package enum MemoryReduction: Sendable, CaseIterable {
    /// Caches shrink to half of their limits.
    case half
    /// Caches keep only what is used at present: see ``Cache/workingSetCost``. Purgeable buffers discard their content.
    case workingSet
    /// Caches release all values that the program can make again.
    case all

    /// Creates the reduction for a role and a memory pressure; nil if caches keep all values.
    ///
    /// - Parameters:
    ///   - role: The program's role.
    ///   - pressure: The memory pressure.
    init?(role: ApplicationRole, pressure: MemoryPressure) {
        switch MemoryBudget.effectiveRole(role, pressure) {
        case .primary: return nil
        case .secondary: self = .half
        case .backgroundMedia, .none:
            // A program that is neither seen nor heard has no working set.
            self = role == .none && pressure == .critical ? .all : .workingSet
        }
    }
}
