import AudioOutput
import SystemCalls

/// The loop of the thread "sound".
extension AudioPipeline {
    /// The body of the thread "sound": carries out requests, fills the device's ring buffer and waits, until the
    /// pipeline is closed.
    func run() {
        var work = SoundThreadState()
        while true {
            let requests = state.withLock { $0.requests.takeRequests() }
            if requests.isClosed { return releaseDevices(&work.device) }
            if let device = requests.device { startDeviceSwitch(to: device, &work) }
            if let opening = requests.formatToOpen { openDevice(opening, &work) }
            installOpenedDevice(&work)
            switchToOpenedDevice(&work)
            handleEvents(&work)
            replaceHangingDevice(&work)
            reopenDevice(&work, hasRetryReason: requests.hasRetryReason)
            guard fill(&work.writer) || waitForEvent(work.device) else { return releaseDevices(&work.device) }
        }
    }

    /// Handles the events that the device's own thread reports.
    private func handleEvents(_ work: inout SoundThreadState) {
        guard let renderer = state.withLock({ $0.device.renderer }) else { return }
        for event in renderer.takeEvents() {
            switch event {
            // The device has played all samples. If another item's audio has begun meanwhile, the device has only
            // reached the pause before that audio.
            case .drained: if work.writer.isFinished { reportAudioEnd() }
            case .failed(let error):
                deviceFailed(renderer, "\(error)", hasWrongClock: error.failure.isClockDrift, &work)
            default: break
            }
        }
    }

    /// Reports, once, that the last item's audio was played to its end.
    func reportAudioEnd() {
        if let number = state.withLock({ $0.timeline.end() }) { report(.ended(number: number)) }
    }

    /// Waits for a request, a decoded block, space in the ring buffer, or the next deadline.
    ///
    /// - Returns: false if waiting failed and audio is no longer possible.
    private func waitForEvent(_ deviceState: DeviceState) -> Bool {
        var entries = [Poll.Entry(wake.raw), Poll.Entry(decodedBlockEvent.raw)]
        let renderer = state.withLock { $0.device.renderer }
        if let renderer {
            entries.append(Poll.Entry(renderer.eventsAvailable.raw))
            entries.append(Poll.Entry(renderer.spaceAvailable.raw))
        }
        for opening in [deviceState.opener, deviceState.pendingDeviceSwitch?.opener].compactMap(\.self) {
            entries.append(Poll.Entry(opening.completionEvent.raw))
        }
        do {
            try Poll.wait(
                &entries,
                until: HostTime.earlier(
                    deviceState.recovery?.nextAttempt, nextHangCheckTime(of: renderer, deviceState)))
        } catch {
            report(.unavailable("cannot wait for the device: \(error)"))
            return false
        }
        renderer?.spaceAvailable.drain()
        wake.drain()
        decodedBlockEvent.drain()
        return true
    }
}
