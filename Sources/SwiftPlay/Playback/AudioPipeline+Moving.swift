import AudioOutput
import SystemCalls

/// Switching to another device during playback. Runs on the thread "sound".
extension AudioPipeline {
    /// Starts to open another ALSA device, which replaces the current device once it is open.
    func startDeviceSwitch(to device: String, _ work: inout SoundThreadState) {
        work.device.pendingDeviceSwitch.take()?.opener.abandon()
        let currentRenderer = state.withLock { $0.device.renderer }
        guard let renderer = currentRenderer, work.device.recovery == nil, work.device.opener == nil else {
            state.update { $0.device.backend = .alsa(device: device) }
            openChosenDevice(&work)
            return report(.moved(device: device))
        }
        let choice = renderer.format.speakers.isEmpty ? channelChoice : .layouts([renderer.format.speakers])
        do {
            let opening = try AsyncDeviceOpener(
                backend: .alsa(device: device), requested: renderer.format, channels: choice,
                period: state.withLock { $0.requests.period }, name: "sound out", session: gainPage)
            work.device.pendingDeviceSwitch = (device, opening)
        } catch { report(.switchFailed("cannot start a thread: \(error)")) }
    }

    /// Stores the chosen device while no real device is open: pending and later attempts to open a device use it.
    private func openChosenDevice(_ work: inout SoundThreadState) {
        let requested = work.device.opener?.requestedFormat
        work.device.opener.take()?.abandon()
        work.device.recovery?.restart(at: MonotonicTime.now)
        if work.device.recovery == nil, let requested { openDevice(requested, &work) }
    }

    /// Switches to a device that has been opened in the background. The old device fades out, and the new device plays
    /// the frames that the old device has not rendered.
    func switchToOpenedDevice(_ work: inout SoundThreadState) {
        guard let (device, opening) = work.device.pendingDeviceSwitch, let outcome = opening.takeOutcome() else {
            return
        }
        work.device.pendingDeviceSwitch = nil
        let new: AudioRenderer
        switch outcome {
        case .success(let created): new = created
        case .failure(let error): return report(.switchFailed("\(error)"))
        }
        let currentRenderer = state.withLock { $0.device.renderer }
        guard let old = currentRenderer, work.device.recovery == nil, new.format == old.format else {
            new.close()
            return report(.switchFailed("device '\(device)' does not accept the current audio format"))
        }
        old.close()
        state.update { state in
            state.device.counters.add(old)
            state.device.backend = .alsa(device: device)
            // Copy only the frames written since the last flush to the new device: older frames are obsolete.
            let channels = max(old.format.channels, 1), written = state.timeline.writtenFrameCount
            let remainingSamples = old.remainingSamples.suffix(Int(clamping: written) * channels)
            let acceptedCount = Array(remainingSamples).withUnsafeBufferPointer { new.write($0) }
            state.timeline.shift(
                by: written - Int64(remainingSamples.count / channels), writtenFrameCount: Int64(acceptedCount))
            state.device.renderer = new
            new.setVolume(state.requests.volume, muted: state.requests.isMuted, ramp: 0)
            if state.requests.isPlaying { new.start() }
        }
        if work.writer.isFinished { new.markEndOfStream() }
        requestRealtimePriority(of: new, &work)
        report(.moved(device: device))
    }
}
