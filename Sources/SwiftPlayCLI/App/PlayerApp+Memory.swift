import Foundation
import SwiftPlay

/// Exits the program when memory is short.
extension PlayerApp {
    /// Registers a handler that ends the program when the compositor requests this because memory is short.
    func endWhenMemoryIsShort() {
        _ = NotificationCenter.default.addObserver(
            forName: Application.willTerminateNotification, object: nil, queue: nil
        ) { [weak self] _ in
            // The notification is posted on the main queue.
            MainActor.assumeIsolated {
                Self.reportError("memory is short: the program exits")
                self?.end(.signalled)
            }
        }
    }
}
