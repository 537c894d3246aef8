/// How much memory caches give back.
package enum MemoryReduction: Sendable, CaseIterable {
    /// Caches shrink to half of their limits.
    case half
    /// Caches keep what is used at present: see ``Cache/workingSetCost``. Purgeable content goes.
    case workingSet
    /// Caches keep nothing that can be made again.
    case all

    /// Returns what caches give back when a program gets a role, or when memory is short; nil if they keep everything.
    ///
    /// - Parameters:
    ///   - role: The program's role.
    ///   - pressure: How short memory is.
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
