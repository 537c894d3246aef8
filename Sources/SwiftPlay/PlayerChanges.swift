import Observation
import SystemCalls

/// Notifies observation tracking (`withObservationTracking`) of a player's changes.
///
/// A player changes on its own thread and on its callers' threads. After each event and each setter, this object
/// compares the properties with their last values. Trackers are therefore notified after a change, on the thread that
/// made the change. The Observation module permits notifications on any thread.
final class PlayerChanges: Sendable {
    /// The registry of the trackers and the properties that they have read (Observation module).
    private let registrar = ObservationRegistrar()
    /// The last values of ``properties``, in the same order.
    private let lastValues = Monitor<[any Equatable & Sendable]>([])

    /// The properties that can be tracked.
    private static let properties: [any TrackedProperty] = [
        TrackedKeyPath(\.currentItem) { $0.item.map { ObjectIdentifier($0) } },
        TrackedKeyPath(\.queuedItems) { $0.items.map { ObjectIdentifier($0) } },
        TrackedKeyPath(\.status) { [$0.isClosed, $0.hasHadItem] },
        TrackedKeyPath(\.rate) { $0.rate },
        TrackedKeyPath(\.timeControlStatus) { $0.published.status },
        TrackedKeyPath(\.reasonForWaitingToPlay) { $0.published.waitingReason },
        TrackedKeyPath(\.isSeeking) { $0.seekTarget != nil },
        TrackedKeyPath(\.actionAtItemEnd) { $0.settings.actionAtItemEnd },
        TrackedKeyPath(\.defaultRate) { $0.settings.defaultRate },
        TrackedKeyPath(\.automaticallyWaitsToMinimizeStalling) { $0.settings.waitsToMinimizeStalling },
        TrackedKeyPath(\.loopRange) { $0.settings.loop.map { [$0.start, $0.end] } },
        TrackedKeyPath(\.volume) { $0.settings.volume },
        TrackedKeyPath(\.isMuted) { $0.settings.isMuted },
        TrackedKeyPath(\.audioDelay) { $0.settings.audioDelay },
        TrackedKeyPath(\.deinterlacing) { $0.settings.deinterlacing },
        TrackedKeyPath(\.preventsDisplaySleepDuringVideoPlayback) { $0.settings.preventsDisplaySleep },
        TrackedKeyPath(\.audiovisualBackgroundPlaybackPolicy) { $0.settings.backgroundPolicy },
        TrackedKeyPath(\.audioOutputDeviceUniqueID) { $0.published.device },
        TrackedKeyPath(\.appliesMediaSelectionCriteriaAutomatically) { $0.settings.selection.appliesCriteria },
        TrackedKeyPath(\.subtitleDelay) { $0.settings.selection.subtitleStyle.delay },
        TrackedKeyPath(\.subtitleScale) { $0.settings.selection.subtitleStyle.scale },
        TrackedKeyPath(\.subtitlePosition) { $0.settings.selection.subtitleStyle.position },
        TrackedKeyPath(\.subtitleTextScale) { $0.settings.selection.subtitleStyle.textScale },
        TrackedKeyPath(\.showsSubtitles) { $0.settings.selection.subtitleStyle.isVisible },
        TrackedKeyPath(\.showsSecondarySubtitles) { $0.settings.selection.subtitleStyle.showsSecondary },
    ]

    /// Compares the properties after each event of the player. Holds the player weakly.
    func observeEvents(of player: Player) {
        _ = takeChangedIndices(of: player)
        _ = player.core.addObserver { [weak player] event in
            if case .framePresented = event { return }
            if let player { player.changes.publish(player) }
        }
    }

    /// Registers that the running `withObservationTracking` reads `property`.
    func access<Value>(_ player: Player, _ property: KeyPath<Player, Value>) {
        registrar.access(player, keyPath: property)
    }

    /// Runs `change` and notifies the trackers of the changed properties, before this method returns.
    ///
    /// - Parameters:
    ///   - player: The player that `change` changes.
    ///   - change: Sets properties of the player.
    func perform(_ player: Player, _ change: () -> Void) {
        let oldValues = Self.values(of: player)
        change()
        // Notify the trackers of this call's own changes, too: another thread may have stored them in `publish` without
        // having notified the trackers yet.
        let ownChanges = Self.differences(oldValues, Self.values(of: player))
        notify(ownChanges.union(takeChangedIndices(of: player)), player)
    }

    /// Notifies the trackers of the properties that have changed since the trackers were last notified.
    private func publish(_ player: Player) { notify(takeChangedIndices(of: player), player) }

    /// Notifies the trackers of the properties at `indices` of ``properties``.
    private func notify(_ indices: Set<Int>, _ player: Player) {
        for index in indices.sorted() { Self.properties[index].notify(registrar, player) }
    }

    /// Stores the present values of ``properties``, and returns the indices of the properties whose values have changed
    /// since the last call.
    private func takeChangedIndices(of player: Player) -> Set<Int> {
        lastValues.withLock { lastValues in
            let oldValues = lastValues
            lastValues = Self.values(of: player)
            return Self.differences(oldValues, lastValues)
        }
    }

    /// Returns the present values of ``properties``.
    private static func values(of player: Player) -> [any Equatable & Sendable] {
        let snapshot = player.core.snapshot.withLock { $0 }
        return properties.map { $0.value(in: snapshot) }
    }

    /// Returns the indices at which two results of ``values(of:)`` differ.
    private static func differences(
        _ oldValues: [any Equatable & Sendable], _ newValues: [any Equatable & Sendable]
    ) -> Set<Int> {
        let pairs = zip(properties, zip(oldValues, newValues))
        return Set<Int>(pairs.enumerated().filter { !$1.0.isEqual($1.1.0, $1.1.1) }.map(\.offset))
    }
}

/// A property of a player, with a function that reads its value from the player's state.
private protocol TrackedProperty: Sendable {
    /// Returns the value of the property in a snapshot of the player's state.
    func value(in snapshot: PlayerSnapshot) -> any Equatable & Sendable
    /// Returns whether two results of ``value(in:)`` are equal.
    func isEqual(_ a: any Equatable & Sendable, _ b: any Equatable & Sendable) -> Bool
    /// Notifies the trackers of the property.
    func notify(_ registrar: ObservationRegistrar, _ player: Player)
}

/// A tracked property of ``Player``, which has changed when `readValue` returns another value than before.
private struct TrackedKeyPath<Member, Value: Equatable & Sendable>: TrackedProperty {
    /// The key path of the property.
    private let property: any KeyPath<Player, Member> & Sendable
    /// Reads the property's value from a snapshot of the player's state.
    private let readValue: @Sendable (PlayerSnapshot) -> Value

    init(_ property: any KeyPath<Player, Member> & Sendable, readValue: @escaping @Sendable (PlayerSnapshot) -> Value) {
        (self.property, self.readValue) = (property, readValue)
    }

    func value(in snapshot: PlayerSnapshot) -> any Equatable & Sendable { readValue(snapshot) }

    func isEqual(_ a: any Equatable & Sendable, _ b: any Equatable & Sendable) -> Bool {
        (a as? Value) == (b as? Value)
    }

    func notify(_ registrar: ObservationRegistrar, _ player: Player) {
        registrar.withMutation(of: player, keyPath: property) {}
    }
}

/// The access to the player's state that observation tracking records.
extension Player {
    /// Returns the player's state, after registering that the running `withObservationTracking` reads `property`.
    func observed<Value>(_ property: KeyPath<Player, Value>) -> Monitor<PlayerSnapshot> {
        changes.access(self, property)
        return core.snapshot
    }

    /// The current item and the items that follow it.
    var queuedItems: [PlayerItem] { observed(\.queuedItems).withLock { $0.items } }
}
