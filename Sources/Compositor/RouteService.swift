import AudioOutput
import AudioPolicy
import Logging
import SystemCalls

/// The service that reports the audio route, and the computer's wake-ups from sleep, to audio sessions.
///
/// The route and the wake-ups are observed only while a program has an audio session. Used by the compositor's main
/// thread.
final class RouteService: EventSource {
    /// The audio sessions that receive the reports.
    private let audio: AudioService
    private let logger: Logger
    /// Observes the audio devices; `nil` while no program has an audio session.
    private var routeMonitor: RouteMonitor?
    /// Observes the computer's wake-ups from sleep; `nil` while no program has an audio session.
    private var sleepMonitor: SleepMonitor?
    /// Returns whether the only remaining audio device was removed and no other audio device has been added since.
    var hasLostDevice: () -> Bool = { false }
    /// Returns the name of the sound server's device that a program announced; `nil` if no device was announced.
    var serverDevice: () -> String? = { nil }
    /// Called on the main thread when the only remaining audio device is lost, or an audio device is available again.
    var onDeviceChange: (_ hasLost: Bool) -> Void = { _ in }

    /// Creates the service, which notifies the sessions of `audio` of changes of the audio route.
    init(audio: AudioService, logger: Logger) {
        (self.audio, self.logger) = (audio, logger)
        audio.onOpen = { [unowned self] id in
            if let routeMonitor, routeMonitor.isReady { audio.report(.route(routeMonitor.currentRoute), to: id) }
        }
        audio.onCategoryChange = { [unowned self] id, oldCategory in notifyCategoryChange(of: id, from: oldCategory) }
    }

    /// The current audio route; `nil` if it is not known.
    var currentRoute: AudioRoute? { routeMonitor?.currentRoute }

    /// Starts observing audio devices and wake-ups with the first audio session, and stops after the last session.
    private func startOrStopMonitors() {
        let hasSessions = !audio.gainCommands.isEmpty
        if hasSessions, routeMonitor == nil { routeMonitor = RouteMonitor() }
        if hasSessions, sleepMonitor == nil { sleepMonitor = SleepMonitor(logger: logger) }
        if !hasSessions { sleepMonitor = nil }
        // Keep a route monitor that still enumerates sound cards, so that short-lived programs do not accumulate
        // threads.
        if !hasSessions, routeMonitor?.isReady == true {
            routeMonitor = nil
            audio.setHasDevice(true)
        }
    }

    /// The descriptors to poll: first the descriptor of `sleepMonitor`, then all descriptors of `routeMonitor`.
    var entries: [Poll.Entry] {
        startOrStopMonitors()
        return [Poll.Entry(sleepMonitor?.descriptor ?? -1, sleepMonitor?.events ?? [])]
            + (routeMonitor?.pollEntries ?? [])
    }

    /// The host time by which the sleep monitor must be called; `nil` for no deadline.
    var deadline: Int64? { sleepMonitor?.deadline }

    /// Handles changes of audio devices and the computer's wake-ups from sleep.
    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        if let routeMonitor { process(routeMonitor, ready.dropFirst()) }
        sleepMonitor?.process()
        if sleepMonitor?.takeWakeUp() == true { handle(.wokeUp) }
    }

    /// Handles changes of the audio devices that the route monitor has detected.
    private func process(_ routeMonitor: RouteMonitor, _ ready: ArraySlice<Poll.Entry>) {
        let wasReady = routeMonitor.isReady
        for change in routeMonitor.process(ready) { perform(change) }
        guard routeMonitor.isReady, !wasReady else { return }
        // The new route monitor has not received the sound server's device that was reported earlier.
        if let name = serverDevice() { _ = routeMonitor.handle(.movedByServer(isLoss: false, name: name)) }
        updateDeviceAvailability()
        logger.info("found the audio route", metadata: ["route": "\(routeMonitor.currentRoute?.name ?? "unknown")"])
        for id in audio.arbiter.ids { audio.report(.route(routeMonitor.currentRoute), to: id) }
    }

    /// Handles a wake-up of the computer, or a change of the audio device that a program announced.
    func handle(_ event: RouteTracker.Event) {
        for change in routeMonitor?.handle(event) ?? [] { perform(change) }
    }

    /// Notifies the audio arbiter whether an audio device exists, as soon as the route monitor has enumerated the
    /// devices. After the only remaining device was lost, no device counts as existing until the monitor finds one.
    func updateDeviceAvailability() {
        guard let routeMonitor, routeMonitor.isReady else { return audio.setHasDevice(true) }
        if routeMonitor.currentRoute != nil { onDeviceChange(false) }
        audio.setHasDevice(!hasLostDevice())
    }

    /// Applies a change of the audio route.
    ///
    /// Silences and interrupts the sessions that must not continue on the new device, and then notifies all sessions.
    /// Interrupted sessions do not resume automatically.
    private func perform(_ change: RouteChange) {
        let now = MonotonicTime.now
        logger.info(
            "the audio route changed",
            metadata: [
                "reason": "\(change.reason)", "from": "\(change.previous?.name ?? "-")",
                "to": "\(change.current?.name ?? "-")",
            ])
        if change.reason == .noSuitableRouteForCategory || change.current != nil {
            onDeviceChange(change.current == nil)
            updateDeviceAvailability()
        }
        if change.losesOutput { audio.handleOutputRemoval(now: now) }
        for id in audio.arbiter.ids { audio.report(.routeChange(change), to: id) }
    }

    /// Notifies an active session that its new category changed its route.
    private func notifyCategoryChange(of id: AudioArbiter.ID, from oldCategory: AudioCategory) {
        guard let newCategory = audio.arbiter.session(id)?.configuration.category, newCategory != oldCategory,
            let routeMonitor, routeMonitor.isReady
        else { return }
        let route = routeMonitor.currentRoute
        let change = RouteChange(
            .categoryChange, from: oldCategory.hasOutput ? route : nil, to: newCategory.hasOutput ? route : nil)
        audio.report(.routeChange(change), to: id)
    }
}
