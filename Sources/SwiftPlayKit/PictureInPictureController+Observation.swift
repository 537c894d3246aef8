import Dispatch
import Observation
import SystemCalls

/// The values of the observable properties of a ``PictureInPictureController``.
struct PictureInPictureState {
    /// Whether the floating window shows the picture: ``PictureInPictureController/isPictureInPictureActive``.
    var isActive = false
    /// Whether Picture-in-Picture can start: ``PictureInPictureController/isPictureInPicturePossible``.
    var isPossible = false
    /// Whether Picture-in-Picture can stop: ``PictureInPictureController/canStopPictureInPicture``.
    var canStop = false
    /// Whether a video call hides the floating window: ``PictureInPictureController/isPictureInPictureSuspended``.
    var isSuspended = false
    /// Whether the compositor does not respond: ``PictureInPictureController/isPictureInPictureStalled``.
    var isStalled = false
}

extension PictureInPictureController {
    /// Observes ``isPictureInPictureActive``, ``isPictureInPicturePossible``, ``isPictureInPictureSuspended``,
    /// ``isPictureInPictureStalled`` and ``canStopPictureInPicture``.
    ///
    /// - Parameter watcher: The closure that is called on the main queue after one of these properties has changed.
    /// - Returns: The number of the observer, for ``removeWatcher(_:)``.
    @discardableResult
    public func watch(_ watcher: @escaping (PictureInPictureController) -> Void) -> UInt64 {
        defer { nextWatcherNumber += 1 }
        watchers[nextWatcherNumber] = watcher
        return nextWatcherNumber
    }

    /// Removes an observer that ``watch(_:)`` has added.
    ///
    /// - Parameter number: The number that ``watch(_:)`` returned.
    public func removeWatcher(_ number: UInt64) { watchers[number] = nil }

    /// Returns an asynchronous sequence of the values of a property: first the current value, then each new value. Use
    /// the method for the properties that ``watch(_:)`` observes.
    ///
    /// The sequence keeps only the newest value for a slow reader. It does not retain the controller, and ends when the
    /// controller is released.
    ///
    /// - Parameter property: The key path of the property.
    public func values<Value: Equatable & Sendable>(of property: KeyPath<PictureInPictureController, Value>)
        -> AsyncStream<Value>
    {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        var lastValue: Value?
        let publish: (PictureInPictureController) -> Void = { controller in
            let value = controller[keyPath: property]
            guard value != lastValue else { return }
            lastValue = value
            continuation.yield(value)
        }
        let watcherNumber = watch(publish)
        streamFinishers.withLock { $0[watcherNumber] = { continuation.finish() } }
        let owner = WeakReference(self)
        continuation.onTermination = { _ in
            DispatchQueue.main.async { MainActor.assumeIsolated { owner.controller?.endStream(watcherNumber) } }
        }
        publish(self)
        return stream
    }

    /// Removes the observer of a sequence that ``values(of:)`` has returned and that the program no longer reads.
    private func endStream(_ watcherNumber: UInt64) {
        removeWatcher(watcherNumber)
        streamFinishers.withLock { _ = $0.removeValue(forKey: watcherNumber) }
    }

    /// Calls the observers that ``watch(_:)`` has added, in the order in which they were added.
    private func notifyWatchers() {
        automaticController?.update()
        for watcherNumber in watchers.keys.sorted() { watchers[watcherNumber]?(self) }
    }

    /// Returns the value of a property from ``state``, and registers the access, so that `withObservationTracking`
    /// reports changes of `property`.
    func observedValue<Value>(
        _ property: KeyPath<PictureInPictureController, Value>, _ value: KeyPath<PictureInPictureState, Value>
    ) -> Value {
        registrar.access(self, keyPath: property)
        return state[keyPath: value]
    }

    /// Stores a new value of a property in ``state`` and notifies all observers, unless the value is the same.
    func changeObservedValue<Value: Equatable>(
        _ property: KeyPath<PictureInPictureController, Value>, _ value: WritableKeyPath<PictureInPictureState, Value>,
        to newValue: Value
    ) {
        guard state[keyPath: value] != newValue else { return }
        registrar.withMutation(of: self, keyPath: property) { state[keyPath: value] = newValue }
        notifyWatchers()
    }
}
