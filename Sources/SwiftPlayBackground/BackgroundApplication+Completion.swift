import SystemCalls

extension BackgroundApplication {
    /// The function that is called on completed work. A structure, as ``Monitor`` requires.
    private struct Completion {
        var handler: (@Sendable () -> Void)?
    }

    private static let completion = Monitor(Completion())

    /// A function that is called each time the program has completed work in the background: when it calls the
    /// completion handler of a fetch, a notification or the events of a session. It is called on the thread of that
    /// call; nil, the default, for none.
    ///
    /// A program that also uses the library `SwiftPlay` renews its picture in the overview here:
    ///
    ///     BackgroundApplication.shared.completedWorkHandler = { Application.shared.setNeedsSnapshot() }
    public var completedWorkHandler: (@Sendable () -> Void)? {
        get { Self.completion.withLock { $0.handler } }
        set { Self.completion.withLock { $0.handler = newValue } }
    }

    /// Calls ``completedWorkHandler``.
    func handleCompletedWork() { completedWorkHandler?() }
}
