import SystemCalls

/// A return of the picture from the floating window to its layer. It is over when the layer's display has drawn the
/// picture, or at the deadline of the ``RemoteSession`` that began it. Any thread; no method waits.
final class PictureReturn: Sendable {
    private struct State {
        var actions: [@Sendable () -> Void] = []
        var isEnding = false
        var isOver = false
    }

    private let state = Monitor(State())

    /// A return without anything to draw.
    static var over: PictureReturn {
        let new = PictureReturn()
        new.end()
        return new
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Calls `action` once when the return is over: before this method returns if it is over, otherwise on the thread
    /// that ends it. Actions are called in the order of these calls.
    func notify(_ action: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.actions.append(action) }
            return state.isOver
        }
        if isOver { action() }
    }

    /// Ends the return. Repeated calls change nothing.
    func end() {
        let isFirst = state.withLock { state in
            defer { state.isEnding = true }
            return !state.isEnding
        }
        guard isFirst else { return }
        while true {
            let action = state.withLock { state -> (@Sendable () -> Void)? in
                state.isOver = state.actions.isEmpty
                return state.isOver ? nil : state.actions.removeFirst()
            }
            guard let action else { return }
            action()
        }
    }
}
