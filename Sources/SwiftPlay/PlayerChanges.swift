import Foundation
import Observation
import SystemCalls

/// Notifies observation tracking (`withObservationTracking`) of a player's changes.
///
/// A player changes on its own thread and on its callers' threads. After each event and each setter, this object
/// compares the properties with their last values. Trackers are therefore notified after a change, on the thread that
/// made it; the tracking of the Observation module permits any thread.
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
        TrackedKeyPath(\.deinterlacing) { $0.settings.deinterlacing },
        TrackedKeyPath(\.preventsDisplaySleepDuringVideoPlayback) { $0.settings.preventsDisplaySleep },
        TrackedKeyPath(\.audiovisualBackgroundPlaybackPolicy) { $0.settings.backgroundPolicy },
        TrackedKeyPath(\.audioOutputDeviceUniqueID) { $0.published.device },
        TrackedKeyPath(\.appliesMediaSelectionCriteriaAutomatically) { $0.settings.selection.appliesCriteria },
        TrackedKeyPath(\.subtitleDelay) { $0.settings.selection.subtitleStyle.delay },
        TrackedKeyPath(\.subtitleScale) { $0.settings.selection.subtitleStyle.scale },
        TrackedKeyPath(\.showsSubtitles) { $0.settings.selection.subtitleStyle.isVisible },
    ]

    /// Compares the properties after each event of the player. Holds the player weakly.
    func observeEvents(of player: Player) {
        _ = takeChanges(of: player)
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
        let before = Self.values(of: player)
        change()
        // Notify the trackers of this call's own changes, too: another thread may have stored them in `publish` without
        // having notified the trackers yet.
        let ownChanges = Self.differences(before, Self.values(of: player))
        notify(ownChanges.union(takeChanges(of: player)), player)
    }

    /// Notifies the trackers of the properties that have changed since the trackers were last notified.
    private func publish(_ player: Player) { notify(takeChanges(of: player), player) }

    /// Notifies the trackers of the properties at `indices` of ``properties``.
    private func notify(_ indices: IndexSet, _ player: Player) {
        for index in indices { Self.properties[index].notify(registrar, player) }
    }

    /// Stores the properties' present values, and returns the indices of those that differ from the stored ones.
    private func takeChanges(of player: Player) -> IndexSet {
        lastValues.withLock { last in
            let old = last
            last = Self.values(of: player)
            return Self.differences(old, last)
        }
    }

    /// Returns the present values of ``properties``.
    private static func values(of player: Player) -> [any Equatable & Sendable] {
        let snapshot = player.core.snapshot.withLock { $0 }
        return properties.map { $0.value(in: snapshot) }
    }

    /// Returns the indices at which two results of ``values(of:)`` differ.
    private static func differences(
        _ old: [any Equatable & Sendable], _ new: [any Equatable & Sendable]
    ) -> IndexSet {
        IndexSet(zip(properties, zip(old, new)).enumerated().filter { !$1.0.isEqual($1.1.0, $1.1.1) }.map(\.offset))
    }
}

/// A property of a player and the value by which its changes are found.
private protocol TrackedProperty: Sendable {
    /// Returns the value of the property in a snapshot of the player's state.
    func value(in snapshot: PlayerSnapshot) -> any Equatable & Sendable
    /// Compares two results of ``value(in:)``.
    func isEqual(_ one: any Equatable & Sendable, _ other: any Equatable & Sendable) -> Bool
    /// Notifies the trackers of the property.
    func notify(_ registrar: ObservationRegistrar, _ player: Player)
}

/// The tracked property `property` of ``Player``, whose changes are found by comparing the results of `read`.
private struct TrackedKeyPath<Member, Value: Equatable & Sendable>: TrackedProperty {
    private let property: any KeyPath<Player, Member> & Sendable
    /// Returns the value of the property whose changes are detected.
    private let read: @Sendable (PlayerSnapshot) -> Value

    init(_ property: any KeyPath<Player, Member> & Sendable, read: @escaping @Sendable (PlayerSnapshot) -> Value) {
        (self.property, self.read) = (property, read)
    }

    func value(in snapshot: PlayerSnapshot) -> any Equatable & Sendable { read(snapshot) }

    func isEqual(_ one: any Equatable & Sendable, _ other: any Equatable & Sendable) -> Bool {
        (one as? Value) == (other as? Value)
    }

    func notify(_ registrar: ObservationRegistrar, _ player: Player) {
        registrar.withMutation(of: player, keyPath: property) {}
    }
}

/// Access to the player's state that is registered with observation tracking.
extension Player {
    /// Returns the player's state, after registering that the running `withObservationTracking` reads `property`.
    func observed<Value>(_ property: KeyPath<Player, Value>) -> Monitor<PlayerSnapshot> {
        changes.access(self, property)
        return core.snapshot
    }

    /// The current item and the items that follow it.
    var queuedItems: [PlayerItem] { observed(\.queuedItems).withLock { $0.items } }
}
