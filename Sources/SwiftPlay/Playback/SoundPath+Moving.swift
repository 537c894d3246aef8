import AudioOutput
import SystemCalls

/// Switching to another device during playback. Runs on the thread "sound".
extension SoundPath {
    func move(to device: String, _ work: inout Workspace) {
        work.keeper.move.take()?.opening.abandon()
        let present = state.withLock { $0.device.renderer }
        guard let renderer = present, work.keeper.recovery == nil, work.keeper.opening == nil else {
            state.update { $0.device.backend = .alsa(device: device) }
            openThere(&work)
            return report(.moved(device: device))
        }
        let channels: ChannelChoice = renderer.format.speakers.isEmpty ? channels : .layouts([renderer.format.speakers])
        do {
            let opening = try RendererOpening(
                backend: .alsa(device: device), wanted: renderer.format, channels: channels,
                period: state.withLock { $0.requests.period }, name: "sound out", session: session)
            work.keeper.move = (device, opening)
        } catch { report(.stayed("cannot start a thread: \(error)")) }
    }

    /// Chooses a device while no real one is open: a pending or later opening uses the new device.
    private func openThere(_ work: inout Workspace) {
        let wanted = work.keeper.opening?.wanted
        work.keeper.opening.take()?.abandon()
        work.keeper.recovery?.beginAnew(at: MonotonicTime.now)
        if work.keeper.recovery == nil, let wanted { openDevice(wanted, &work) }
    }

    /// Switches to a device that has been opened in the background. The old device fades out, and the new device plays
    /// the frames that the old one has not rendered.
    func takeMoved(_ work: inout Workspace) {
        guard let (device, opening) = work.keeper.move, let outcome = opening.take() else { return }
        work.keeper.move = nil
        let new: AudioRenderer
        switch outcome {
        case .success(let made): new = made
        case .failure(let error): return report(.stayed("\(error)"))
        }
        let present = state.withLock { $0.device.renderer }
        guard let old = present, work.keeper.recovery == nil, new.format == old.format else {
            new.close()
            return report(.stayed("device '\(device)' does not accept the current audio format"))
        }
        old.close()
        state.update { state in
            state.device.figures.add(old)
            state.device.backend = .alsa(device: device)
            // Frames from before a flush are obsolete.
            let channels = max(old.format.channels, 1), written = state.timeline.written
            let rest = old.rest.suffix(Int(clamping: written) * channels)
            let taken = Array(rest).withUnsafeBufferPointer { new.write($0) }
            state.timeline.shift(by: written - Int64(rest.count / channels), written: Int64(taken))
            state.device.renderer = new
            new.setVolume(state.requests.volume, muted: state.requests.isMuted, ramp: 0)
            if state.requests.isPlaying { new.start() }
        }
        if work.writer.isFinished { new.markEndOfStream() }
        report(.moved(device: device))
    }
}
