import AudioOutput
import SystemCalls

/// The loop of the audio thread.
extension AudioPipeline {
    /// The body of the audio thread: carries out requests, fills the device's ring buffer and waits, until the
    /// pipeline is closed.
    func run() {
        var threadState = AudioThreadState()
        while true {
            let requests = state.withLock { $0.requests.takeRequests() }
            if requests.isClosed { return releaseDevices(&threadState.pendingDevices) }
            if let device = requests.deviceToSwitchTo { startDeviceSwitch(to: device, &threadState) }
            if let format = requests.formatToOpen { openDevice(format, &threadState) }
            installOpenedDevice(&threadState)
            switchToOpenedDevice(&threadState)
            handleEvents(&threadState)
            replaceHangingDevice(&threadState)
            reopenDevice(&threadState, hasRetryReason: requests.hasRetryReason)
            guard fill(&threadState.writer) || waitForEvent(threadState.pendingDevices) else {
                return releaseDevices(&threadState.pendingDevices)
            }
        }
    }

    /// Handles the events that the device's own thread reports.
    private func handleEvents(_ threadState: inout AudioThreadState) {
        guard let renderer = state.withLock({ $0.device.renderer }) else { return }
        for event in renderer.takeEvents() {
            switch event {
            // The device has played all samples. If another item's audio has begun meanwhile, the device has only
            // reached the pause before that audio.
            case .drained: if threadState.writer.isFinished { reportAudioEnd() }
            case .failed(let error):
                handleDeviceFailure(renderer, "\(error)", hasWrongClock: error.failure.isClockDrift, &threadState)
            default: break
            }
        }
    }

    /// Reports, once, that the last item's audio was played to its end.
    func reportAudioEnd() {
        if let number = state.withLock({ $0.timeline.markEnded() }) { report(.audioEnded(number: number)) }
    }

    /// Waits for a request, a decoded block, space in the ring buffer, or the next deadline.
    ///
    /// - Returns: false if waiting failed and audio is no longer possible.
    private func waitForEvent(_ pendingDevices: PendingDevices) -> Bool {
        var entries = [Poll.Entry(wakeEvent.raw), Poll.Entry(decodedBlockEvent.raw)]
        let renderer = state.withLock { $0.device.renderer }
        if let renderer {
            entries.append(Poll.Entry(renderer.eventsAvailable.raw))
            entries.append(Poll.Entry(renderer.spaceAvailable.raw))
        }
        for opener in [pendingDevices.opener, pendingDevices.pendingDeviceSwitch?.opener].compactMap(\.self) {
            entries.append(Poll.Entry(opener.completionEvent.raw))
        }
        do {
            try Poll.wait(
                &entries,
                until: HostTime.earlier(
                    pendingDevices.recovery?.nextAttemptTime, nextHangCheckTime(of: renderer, pendingDevices)))
        } catch {
            report(.unavailable("cannot wait for the device: \(error)"))
            return false
        }
        renderer?.spaceAvailable.drain()
        wakeEvent.drain()
        decodedBlockEvent.drain()
        return true
    }
}
