import AudioOutput
import AudioPolicy
import Logging
import SystemCalls

/// The service that reports the audio route and wake-ups of the machine to audio sessions.
///
/// It watches both while a program has an audio session. Used by the compositor's main thread.
final class RouteService: EventSource {
    private let audio: AudioService
    private let logger: Logger
    private var watch: RouteWatch?
    private var sleep: SleepWatch?
    /// Returns whether the last device was removed and no other device has been added since.
    var hasLostDevice: () -> Bool = { false }
    /// Returns the announced device of a sound server; `nil` if none was announced.
    var serverDevice: () -> String? = { nil }
    /// Called on the main thread when the last device is lost, or a device is available again.
    var onDeviceChange: (_ hasLost: Bool) -> Void = { _ in }

    init(audio: AudioService, logger: Logger) {
        (self.audio, self.logger) = (audio, logger)
        audio.onOpen = { [unowned self] id in
            if let watch, watch.isReady { audio.report(.route(watch.current), to: id) }
        }
        audio.onCategoryChange = { [unowned self] id, old in notifyCategoryChange(of: id, from: old) }
    }

    /// The current audio route; `nil` if it is not known.
    var current: AudioRoute? { watch?.current }

    /// Starts watching with the first audio session, and stops with the last.
    private func followSessions() {
        let isWanted = !audio.orders.isEmpty
        if isWanted, watch == nil { watch = RouteWatch() }
        if isWanted, sleep == nil { sleep = SleepWatch(logger: logger) }
        if !isWanted { sleep = nil }
        // Keep a watch that still enumerates sound cards, so that short-lived programs do not accumulate threads.
        if !isWanted, watch?.isReady == true {
            watch = nil
            audio.setHasDevice(true)
        }
    }

    // The first entry is the bus of `sleep`; all others belong to `watch`.
    var entries: [Poll.Entry] {
        followSessions()
        return [Poll.Entry(sleep?.descriptor ?? -1, sleep?.events ?? [])] + (watch?.entries ?? [])
    }

    var deadline: Int64? { sleep?.deadline }

    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        if let watch { process(watch, ready.dropFirst()) }
        sleep?.process()
        if sleep?.takeWake() == true { handle(.wokeUp) }
    }

    private func process(_ watch: RouteWatch, _ ready: ArraySlice<Poll.Entry>) {
        let wasReady = watch.isReady
        for change in watch.process(ready) { perform(change) }
        guard watch.isReady, !wasReady else { return }
        // The new watch does not know the device that was announced earlier.
        if let name = serverDevice() { _ = watch.told(.movedByServer(isLoss: false, name: name)) }
        applyDevice()
        logger.info("found the audio route", metadata: ["route": "\(watch.current?.name ?? "unknown")"])
        for id in audio.arbiter.ids { audio.report(.route(watch.current), to: id) }
    }

    /// Handles a change of device that another program announced.
    func handle(_ input: RouteTracker.Input) {
        for change in watch?.told(input) ?? [] { perform(change) }
    }

    /// Notifies the arbiter whether a device exists, once that is known. After the last device was lost, that holds
    /// until the watch finds a device.
    func applyDevice() {
        guard let watch, watch.isReady else { return audio.setHasDevice(true) }
        if watch.current != nil { onDeviceChange(false) }
        audio.setHasDevice(!hasLostDevice())
    }

    /// Applies a change of route.
    ///
    /// First it silences and interrupts the sessions that must not continue on the next device, and then notifies all
    /// sessions. Sessions do not resume automatically.
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
            applyDevice()
        }
        if change.losesSound { audio.outputIsGone(now: now) }
        for id in audio.arbiter.ids { audio.report(.routeChange(change), to: id) }
    }

    /// Notifies an active session that its new category changed its route.
    private func notifyCategoryChange(of id: AudioArbiter.ID, from old: AudioCategory) {
        guard let new = audio.arbiter.session(id)?.configuration.category, new != old, let watch, watch.isReady else {
            return
        }
        let change = RouteChange(
            .categoryChange, from: old.hasOutput ? watch.current : nil, to: new.hasOutput ? watch.current : nil)
        audio.report(.routeChange(change), to: id)
    }
}
