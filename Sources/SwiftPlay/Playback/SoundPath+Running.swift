import AudioOutput
import SystemCalls

/// The loop of the thread "sound".
extension SoundPath {
    func run() {
        var work = Workspace()
        while true {
            let asked = state.withLock { $0.requests.takeWork() }
            if asked.isClosed { return letGo(&work.keeper) }
            if let device = asked.device { move(to: device, &work) }
            if let opening = asked.opening { openDevice(opening, &work) }
            takeOpened(&work)
            takeMoved(&work)
            handleEvents(&work)
            watchDevice(&work)
            bringBack(&work, hasReason: asked.hasReason)
            guard fill(&work.writer) || wait(work.keeper) else { return letGo(&work.keeper) }
        }
    }

    private func handleEvents(_ work: inout Workspace) {
        guard let renderer = state.withLock({ $0.device.renderer }) else { return }
        for event in renderer.takeEvents() {
            switch event {
            // If a new feed has begun, the event refers to the pause before it.
            case .drained: if work.writer.isFinished { reportEnd() }
            case .failed(let error): lose(renderer, "\(error)", hasWrongClock: error.failure.isWrongClock, &work)
            default: break
            }
        }
    }

    func reportEnd() {
        if let number = state.withLock({ $0.timeline.end() }) { report(.ended(feed: number)) }
    }

    /// Waits for a request, a decoded block, space in the ring, or the next deadline.
    ///
    /// - Returns: false if waiting failed and audio is no longer possible.
    private func wait(_ keeper: DeviceKeeper) -> Bool {
        var entries = [Poll.Entry(wake.raw), Poll.Entry(arrival.raw)]
        let renderer = state.withLock { $0.device.renderer }
        if let renderer {
            entries.append(Poll.Entry(renderer.eventsAvailable.raw))
            entries.append(Poll.Entry(renderer.spaceAvailable.raw))
        }
        for opening in [keeper.opening, keeper.move?.opening].compactMap(\.self) {
            entries.append(Poll.Entry(opening.done.raw))
        }
        do {
            try Poll.wait(&entries, until: HostTime.earlier(keeper.recovery?.next, nextLook(at: renderer, keeper)))
        } catch {
            report(.unavailable("cannot wait for the device: \(error)"))
            return false
        }
        renderer?.spaceAvailable.drain()
        wake.drain()
        arrival.drain()
        return true
    }
}
