import SystemCalls

/// The return of the picture from the floating window to its layer. It ends when the layer's display has drawn the
/// picture, or at the deadline of the ``RemoteSession`` that started it. Any thread; no method blocks.
final class PictureReturn: Sendable {
    private struct State {
        var actions: [@Sendable () -> Void] = []
        var isEnding = false
        var isOver = false
    }

    private let state = Monitor(State())

    /// A return that has ended.
    static var over: PictureReturn {
        let new = PictureReturn()
        new.end()
        return new
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Calls `action` once when the return has ended: at once if it has, otherwise on the thread that ends it. Actions
    /// are called in the order in which they were added.
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
