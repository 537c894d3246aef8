import SwiftPlay

/// Exits the program when memory is short.
extension PlayerApp {
    /// Registers a handler that ends the program when the compositor requests this because memory is short.
    func endWhenMemoryIsShort() {
        Application.shared.setExitHandler { [weak self] in
            Self.reportError("memory is short: the program exits")
            self?.end(.signalled)
        }
    }
}
