import AudioOutput
import AudioPolicy
import Logging
import SystemCalls

/// Where sound is heard, and when the machine wakes up: watched while some program has an audio session. Used by the
/// compositor's main thread.
final class RouteService: EventSource {
    private let audio: AudioService
    private let logger: Logger
    private var watch: RouteWatch?
    private var sleep: SleepWatch?
    /// The last device was removed, and no other has been added since.
    var hasLostDevice: () -> Bool = { false }
    /// The device that a sound server plays on, as far as somebody has told of it.
    var serverDevice: () -> String? = { nil }
    /// Called when the last device is lost, or a device is there again.
    var onDeviceChange: (_ hasLost: Bool) -> Void = { _ in }

    init(audio: AudioService, logger: Logger) {
        (self.audio, self.logger) = (audio, logger)
        audio.onOpen = { [unowned self] id in
            if let watch, watch.isReady { audio.report(.route(watch.current), to: id) }
        }
        audio.onCategoryChange = { [unowned self] id, old in notifyCategoryChange(of: id, from: old) }
    }

    /// Where sound is heard; nil: that is not known.
    var current: AudioRoute? { watch?.current }

    /// Begins to watch with the first audio session, and ends with the last.
    private func followSessions() {
        let isWanted = !audio.orders.isEmpty
        if isWanted, watch == nil { watch = RouteWatch() }
        if isWanted, sleep == nil { sleep = SleepWatch(logger: logger) }
        if !isWanted { sleep = nil }
        // A watch that still looks for cards is kept: programs that come and go must not leave threads behind.
        if !isWanted, watch?.isReady == true {
            watch = nil
            audio.setHasDevice(true)
        }
    }

    // The first entry is the bus of ``sleep``, all others are those of ``watch``.
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
        // A sound server does not tell again what a desktop told of it before.
        if let name = serverDevice() { _ = watch.told(.movedByServer(isLoss: false, name: name)) }
        applyDevice()
        logger.info("sound is heard", metadata: ["route": "\(watch.current?.name ?? "nowhere that is known")"])
        for id in audio.arbiter.ids { audio.report(.route(watch.current), to: id) }
    }

    /// Handles what another program saw.
    func handle(_ input: RouteTracker.Input) {
        for change in watch?.told(input) ?? [] { perform(change) }
    }

    /// Tells the arbiter whether there is a device, once that is known. A device that was lost stays lost until the
    /// watch finds one.
    func applyDevice() {
        guard let watch, watch.isReady else { return audio.setHasDevice(true) }
        if watch.current != nil { onDeviceChange(false) }
        audio.setHasDevice(!hasLostDevice())
    }

    /// Silences and interrupts the sessions that must not be heard on the next device first, and then notifies all. No
    /// session resumes by itself.
    private func perform(_ change: RouteChange) {
        let now = MonotonicTime.now
        logger.info(
            "sound is heard elsewhere",
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

    /// Notifies an active session that its category moved its sound.
    private func notifyCategoryChange(of id: AudioArbiter.ID, from old: AudioCategory) {
        guard let new = audio.arbiter.session(id)?.configuration.category, new != old, let watch, watch.isReady else {
            return
        }
        let change = RouteChange(
            .categoryChange, from: old.hasOutput ? watch.current : nil, to: new.hasOutput ? watch.current : nil)
        audio.report(.routeChange(change), to: id)
    }
}
