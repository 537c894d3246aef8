import AudioOutput
import SystemCalls

/// Another device while this one plays. On the thread "sound".
extension SoundPath {
    func move(to device: String, _ work: Workspace) {
        work.move.take()?.opening.abandon()
        guard let renderer = state.withLock({ $0.renderer }), work.recovery == nil, work.opening == nil else {
            state.update { $0.backend = .alsa(device: device) }
            openThere(work)
            return report(.moved(device: device))
        }
        let channels: ChannelChoice = renderer.format.speakers.isEmpty ? channels : .layouts([renderer.format.speakers])
        do {
            let opening = try RendererOpening(
                backend: .alsa(device: device), wanted: renderer.format, channels: channels, period: state.withLock { $0.period }, name: "sound out", session: session)
            work.move = (device, opening)
        } catch { report(.stayed("cannot start a thread: \(error)")) }
    }

    /// Nothing is open: what is being opened, or is to be, is so at the device that was chosen.
    private func openThere(_ work: Workspace) {
        let wanted = work.opening?.wanted
        work.opening.take()?.abandon()
        work.recovery?.beginAnew(at: MonotonicTime.now)
        if work.recovery == nil, let wanted { openDevice(wanted, work) }
    }

    /// Goes over to a device that has been opened by now. The old one fades out, and what it has not rendered is heard on the new one.
    func takeMoved(_ work: Workspace) {
        guard let (device, opening) = work.move, let outcome = opening.take() else { return }
        work.move = nil
        let new: AudioRenderer
        switch outcome {
        case .success(let made): new = made
        case .failure(let error): return report(.stayed("\(error)"))
        }
        guard let old = state.withLock({ $0.renderer }), work.recovery == nil, new.format == old.format else {
            new.close()
            return report(.stayed("device '\(device)' takes another form of sound than is decoded now"))
        }
        old.close()
        state.update { state in
            state.figures.add(old)
            state.backend = .alsa(device: device)
            // What was there before a flush is nobody's any more.
            let channels = max(old.format.channels, 1), rest = old.rest.suffix(Int(clamping: state.written) * channels)
            let heard = state.written - Int64(rest.count / channels)
            let taken = Array(rest).withUnsafeBufferPointer { new.write($0) }
            state.written = Int64(taken)
            for index in state.segments.indices { state.segments[index].firstFrame -= heard }
            state.renderer = new
            new.setVolume(state.volume, muted: state.isMuted, ramp: 0)
            if state.isPlaying { new.start() }
        }
        if work.isFinished { new.markEndOfStream() }
        report(.moved(device: device))
    }
}
