import SystemCalls

/// The return of the picture from the floating window to its layer. The return ends when the layer's output has shown
/// the picture, or after a time limit that the ``RemoteSession`` sets. Safe to use from any thread; no method blocks.
final class ReturnToLayer: Sendable {
    private struct State {
        /// The closures to call, in order, when the picture has returned to the layer.
        var actions: [@Sendable () -> Void] = []
        /// Whether ``ReturnToLayer/end()`` was called.
        var isEnding = false
        /// Whether all closures that waited for the end of the return were called.
        var isFinished = false
    }

    private let state = Monitor(State())

    /// A return that has already ended.
    static var finished: ReturnToLayer {
        let pictureReturn = ReturnToLayer()
        pictureReturn.end()
        return pictureReturn
    }

    /// Whether the return of the picture has ended and all waiting closures were called.
    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Calls `action` once when the picture has returned: immediately if it has already returned, otherwise on the
    /// thread that ends the return. Actions are called in the order in which they were added.
    func notify(_ action: @escaping @Sendable () -> Void) {
        let isFinished = state.withLock { state in
            if !state.isFinished { state.actions.append(action) }
            return state.isFinished
        }
        if isFinished { action() }
    }

    /// Ends the return of the picture and calls the waiting closures. Repeated calls change nothing.
    func end() {
        let isFirstCall = state.withLock { state in
            defer { state.isEnding = true }
            return !state.isEnding
        }
        guard isFirstCall else { return }
        while true {
            let action = state.withLock { state -> (@Sendable () -> Void)? in
                state.isFinished = state.actions.isEmpty
                return state.isFinished ? nil : state.actions.removeFirst()
            }
            guard let action else { return }
            action()
        }
    }
}
