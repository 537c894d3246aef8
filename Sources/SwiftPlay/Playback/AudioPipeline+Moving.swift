import AudioOutput
import SystemCalls

/// Switching to another device during playback. Runs on the audio thread.
extension AudioPipeline {
    /// Starts to open another ALSA device, which replaces the current device once it is open.
    func startDeviceSwitch(to device: String, _ threadState: inout AudioThreadState) {
        threadState.pendingDevices.pendingDeviceSwitch.take()?.opener.abandon()
        let currentRenderer = state.withLock { $0.device.renderer }
        guard let renderer = currentRenderer, threadState.pendingDevices.recovery == nil,
            threadState.pendingDevices.opener == nil
        else {
            state.update { $0.device.backend = .alsa(device: device) }
            openChosenDevice(&threadState)
            return report(.deviceSwitched(device: device))
        }
        let choice = renderer.format.speakers.isEmpty ? channelChoice : .layouts([renderer.format.speakers])
        do {
            let opener = try AsyncDeviceOpener(
                backend: .alsa(device: device), requested: renderer.format, channels: choice,
                period: state.withLock { $0.requests.preferredPeriod }, name: "sound out", session: gainPage)
            threadState.pendingDevices.pendingDeviceSwitch = (device, opener)
        } catch { report(.switchFailed("cannot start a thread: \(error)")) }
    }

    /// Stores the chosen device while no real device is open: pending and later attempts to open a device use it.
    private func openChosenDevice(_ threadState: inout AudioThreadState) {
        let requestedFormat = threadState.pendingDevices.opener?.requestedFormat
        threadState.pendingDevices.opener.take()?.abandon()
        threadState.pendingDevices.recovery?.restart(at: MonotonicTime.now)
        if threadState.pendingDevices.recovery == nil, let requestedFormat { openDevice(requestedFormat, &threadState) }
    }

    /// Switches to a device that has been opened in the background. The old device fades out, and the new device plays
    /// the frames that the old device has not rendered.
    func switchToOpenedDevice(_ threadState: inout AudioThreadState) {
        guard let (device, opener) = threadState.pendingDevices.pendingDeviceSwitch,
            let outcome = opener.takeOutcome()
        else {
            return
        }
        threadState.pendingDevices.pendingDeviceSwitch = nil
        let newRenderer: AudioRenderer
        switch outcome {
        case .success(let openedRenderer): newRenderer = openedRenderer
        case .failure(let error): return report(.switchFailed("\(error)"))
        }
        let currentRenderer = state.withLock { $0.device.renderer }
        guard let oldRenderer = currentRenderer, threadState.pendingDevices.recovery == nil,
            newRenderer.format == oldRenderer.format
        else {
            newRenderer.close()
            return report(.switchFailed("device '\(device)' does not accept the current audio format"))
        }
        oldRenderer.close()
        state.update { state in
            state.device.counters.add(oldRenderer)
            state.device.backend = .alsa(device: device)
            // Copy only the frames written since the last flush to the new device: older frames are obsolete.
            let channels = max(oldRenderer.format.channels, 1), written = state.timeline.writtenFrameCount
            let remainingSamples = oldRenderer.remainingSamples.suffix(Int(clamping: written) * channels)
            let acceptedCount = Array(remainingSamples).withUnsafeBufferPointer { newRenderer.write($0) }
            state.timeline.shiftPositions(
                by: written - Int64(remainingSamples.count / channels), writtenFrameCount: Int64(acceptedCount))
            state.device.renderer = newRenderer
            newRenderer.setVolume(state.requests.volume, muted: state.requests.isMuted, ramp: 0)
            if state.requests.isPlaying { newRenderer.start() }
        }
        if threadState.writer.isFinished { newRenderer.markEndOfStream() }
        report(.deviceSwitched(device: device))
        requestRealtimePriority(of: newRenderer, &threadState)
    }
}
