import AudioOutput
import AudioPolicy
import SystemCalls

/// Where sound is heard: watched while there is somebody to tell.
extension CompositorServer {
    /// Begins to watch with the first audio session, and ends with the last.
    func attendRoutes() {
        let isWanted = clients.values.contains { !$0.audioSessions.isEmpty }
        if isWanted, routes == nil { routes = RouteWatch() }
        if isWanted, sleep == nil { sleep = SleepWatch(logger: logger) }
        if !isWanted { sleep = nil }
        // One that still looks for cards is kept: programs that come and go must not leave threads behind.
        if !isWanted, routes?.isReady == true {
            routes = nil
            audio.setHasDevice(true)
        }
    }

    /// Whether there is a device, once that is known: a device that was lost stays lost until the watch finds one.
    func applyDevice() {
        guard let routes, routes.isReady else { return audio.setHasDevice(true) }
        if routes.current != nil { changeSystemState { $0.hasLostDevice = false } }
        audio.setHasDevice(!system.hasLostDevice)
    }

    /// Takes in what the watch's descriptors say.
    func handleRoutes(_ polled: ArraySlice<Poll.Entry>) {
        guard let routes else { return }
        let wasReady = routes.isReady
        for change in routes.process(polled) { perform(change) }
        guard routes.isReady, !wasReady else { return }
        // The sound server does not repeat a device that a desktop announced before the watch began.
        if let name = system.serverDevice { _ = routes.told(.movedByServer(isLoss: false, name: name)) }
        applyDevice()
        logger.info("sound is heard", metadata: ["route": "\(routes.current?.name ?? "nowhere that is known")"])
        for id in audio.ids { tell(id, .route(routes.current)) }
    }

    /// Tells an active session that its category moved its sound.
    func tellCategoryChange(of id: AudioArbiter.ID, from old: AudioCategory) {
        guard let new = audio.session(id)?.configuration.category, new != old, let routes, routes.isReady else { return }
        let current = routes.current
        tell(id, .routeChange(RouteChange(.categoryChange, from: old.hasOutput ? current : nil, to: new.hasOutput ? current : nil)))
    }

    /// What somebody else saw of it.
    func handleRoutes(_ input: RouteTracker.Input) {
        for change in routes?.told(input) ?? [] { perform(change) }
    }

    /// Who must not be heard on what comes next is silenced first, and interrupted; then all are told. Nothing goes on by itself.
    private func perform(_ change: RouteChange) {
        let now = MonotonicTime.now
        logger.info("sound is heard elsewhere", metadata: [
            "reason": "\(change.reason)", "from": "\(change.previous?.name ?? "-")", "to": "\(change.current?.name ?? "-")",
        ])
        if change.reason == .noSuitableRouteForCategory || change.current != nil {
            changeSystemState { $0.hasLostDevice = change.current == nil }
            applyDevice()
        }
        if change.losesSound { perform(audio.outputIsGone(heardBy: audio.ids, now: now), now: now) }
        for id in audio.ids { tell(id, .routeChange(change)) }
    }
}
