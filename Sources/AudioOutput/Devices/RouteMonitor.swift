import AudioPolicy
import SystemCalls

/// Tracks the current audio route from three sources: the ALSA controls of the cards, udev, and reports of other
/// components about a sound server's devices. Its owner polls ``pollEntries`` and then calls ``process(_:)``, on one
/// thread.
///
/// The monitor never queries a sound server, because a sound server may not respond. If headphones are unplugged, the
/// sound server moves the audio, and the card's own control reports the jack.
package final class RouteMonitor {
    private var tracker = RouteTracker()
    /// The open controls of the cards.
    private var controls: [CardControlMonitor] = []
    /// The source of added and removed cards; nil without udev.
    private let udevMonitor: DeviceMonitor?
    /// The scan of the existing cards; nil after it has finished.
    private var scan: AudioCardScan?
    /// Whether the scan of the cards has finished.
    package private(set) var isReady = false

    package init() {
        // If udev or the card scan is unavailable, continue without it.
        udevMonitor = try? DeviceMonitor()
        scan = try? AudioCardScan()
        isReady = scan == nil
    }

    /// The current route; nil if there is no output.
    package var currentRoute: AudioRoute? { tracker.currentRoute }

    /// The file descriptors to poll before calling ``process(_:)``.
    package var pollEntries: [Poll.Entry] {
        // `poll` ignores the descriptor -1: events of udev are not read until the scan of the cards has finished.
        [Poll.Entry(scan.map { $0.completionEvent.raw } ?? udevMonitor?.descriptor ?? -1)]
            + controls.flatMap(\.pollEntries)
    }

    /// Handles new events and returns the route changes. Never waits.
    ///
    /// - Parameter pollResults: The results of polling ``pollEntries``.
    package func process(_ pollResults: ArraySlice<Poll.Entry>) -> [RouteChange] {
        var changes: [RouteChange] = [], remainingEntries = pollResults.dropFirst()
        for monitor in controls {
            let ownEntries = remainingEntries.prefix(monitor.pollEntries.count)
            remainingEntries = remainingEntries.dropFirst(ownEntries.count)
            guard ownEntries.contains(where: { $0.isReady }) else { continue }
            for event in monitor.events(ownEntries) { changes += handleCardEvent(event, of: monitor) }
        }
        controls.removeAll(where: \.isRemoved)
        guard pollResults.first.map({ $0.isReady }) == true else { return changes }
        if let scan {
            scan.takeOutcome().map(startTracking)
        } else {
            for event in udevMonitor?.events() ?? [] { changes += handleUdevEvent(event) }
        }
        return changes
    }

    /// Starts to monitor the sound cards for changes. `outcome` contains the cards that already exist.
    private func startTracking(_ outcome: AudioCardScan.Outcome) {
        scan = nil
        controls = outcome.controls
        let server = outcome.server.map { AudioCardInfo(control: "default", name: $0, bus: .server, isDefault: true) }
        tracker = RouteTracker(cards: (server.map { [$0] } ?? []) + controls.map(cardInfo))
        isReady = true
    }

    /// Returns the tracker's description of the card to which a control belongs.
    private func cardInfo(_ monitor: CardControlMonitor) -> AudioCardInfo {
        let isKernelCard = monitor.control.hasPrefix("hw:")
        let bus = isKernelCard ? monitor.cardNumber.flatMap { udevMonitor?.bus(ofCard: $0) } : nil
        return AudioCardInfo(
            control: monitor.control, name: monitor.cardName, bus: bus ?? .internalBus,
            isDefault: monitor.control == "default", jacks: monitor.jacks)
    }

    /// Handles an event of a card's control.
    private func handleCardEvent(_ event: CardControlMonitor.Event, of monitor: CardControlMonitor) -> [RouteChange] {
        switch event {
        case .jack(let name, let isPlugged): handle(.jack(control: monitor.control, name: name, isPlugged: isPlugged))
        case .changed: []
        case .removed: handle(.cardRemoved(control: monitor.control))
        }
    }

    /// Handles a card that udev reports as added or removed.
    private func handleUdevEvent(_ event: DeviceMonitor.Event) -> [RouteChange] {
        switch event {
        case .added(let number):
            guard !controls.contains(where: { $0.cardNumber == number && !$0.isRemoved }),
                let monitor = try? CardControlMonitor("hw:\(number)")
            else { return [] }
            controls.append(monitor)
            return handle(.cardAdded(cardInfo(monitor)))
        case .removed(let number):
            let removedControls = controls.filter { $0.cardNumber == number }
            controls.removeAll { $0.cardNumber == number }
            return removedControls.flatMap { handle(.cardRemoved(control: $0.control)) }
        }
    }

    /// Handles an event that another component reports, and returns the route changes.
    package func handle(_ event: RouteTracker.Event) -> [RouteChange] { tracker.handle(event).map { [$0] } ?? [] }
}
