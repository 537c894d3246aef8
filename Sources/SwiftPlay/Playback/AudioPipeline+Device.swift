import AudioOutput
import SystemCalls

/// Opening, loss and reopening of the audio device. Runs on the thread "sound", which never calls ALSA itself, because
/// ALSA may block.
extension AudioPipeline {
    /// Opens a device for the requested format in the background, unless a device for this format is open or being
    /// opened.
    func openDevice(_ requested: AudioFormat, _ work: inout SoundThreadState) {
        let openedFormat = state.withLock { $0.device.renderer == nil ? nil : $0.device.openedForFormat }
        if openedFormat == requested { return report(.opened(isSilent: work.device.openFailureReason != nil)) }
        if work.device.recovery == nil, work.device.opener?.requestedFormat == requested { return }
        work.device.opener?.abandon()
        work.device.recovery = nil
        let old = state.update { state in
            state.device.counters = state.device.allCounters
            return state.device.renderer.take()
        }
        old?.requestClose()
        work.device.opener = open(requested, channelChoice, after: old ?? work.device.lostRenderer.take())
        if work.device.opener == nil { report(.unavailable("cannot start a thread")) }
    }

    /// Starts to open a device once `old` is closed, and returns the attempt; nil if no thread can be started.
    private func open(_ requested: AudioFormat, _ channelChoice: ChannelChoice, after old: AudioRenderer?)
        -> AsyncDeviceOpener?
    {
        let (backend, period) = state.withLock { ($0.device.backend, $0.requests.period) }
        return try? AsyncDeviceOpener(
            backend: backend, requested: requested, channels: channelChoice, period: period, name: "sound out",
            session: gainPage,
            after: old)
    }

    /// Starts to use the device that has been opened in the background, or handles the error.
    func installOpenedDevice(_ work: inout SoundThreadState) {
        guard let opening = work.device.opener, let outcome = opening.takeOutcome() else { return }
        work.device.opener = nil
        guard work.device.recovery == nil else { return installReopenedDevice(outcome, &work) }
        switch outcome {
        case .success(let created):
            install(created)
            requestRealtimePriority(of: created, &work)
            work.device.openFailureReason = nil
            state.update { $0.device.openedForFormat = opening.requestedFormat }
            report(.opened(isSilent: false))
        case .failure(let error): installNullDevice(for: opening.requestedFormat, "\(error)", &work)
        }
    }

    /// Uses a null device because the real device could not be opened. The item plays at the same pace as with a real
    /// device, and further attempts to open the real device follow.
    private func installNullDevice(for requested: AudioFormat, _ reason: String, _ work: inout SoundThreadState) {
        // Decode to stereo, which every device accepts: the format stays the same when a real device is opened later.
        let form = requested.channels > 2 ? AudioFormat(rate: requested.rate, channels: 2) : requested
        do {
            let nullDevice = try AudioRenderer(backend: .null, requested: form, name: "sound out")
            install(nullDevice)
            state.update { $0.device.openedForFormat = requested }
            work.device.recovery = DeviceRecovery(lostAt: MonotonicTime.now)
            work.device.lostFormat = nullDevice.format
            reportOpenFailure(reason, &work)
            report(.opened(isSilent: true))
        } catch { report(.unavailable(reason)) }
    }

    /// Reports to the player why a null device replaces the real device, unless the same reason was reported before.
    private func reportOpenFailure(_ reason: String, _ work: inout SoundThreadState) {
        if reason != work.device.openFailureReason { report(.openFailed(reason)) }
        work.device.openFailureReason = reason
    }

    /// Makes an opened device the current device, and sets the player's volume on it.
    private func install(_ created: AudioRenderer) {
        let (volume, muted) = state.update { state in
            state.device.renderer = created
            return (state.requests.volume, state.requests.isMuted)
        }
        if volume != 1 || muted { created.setVolume(volume, muted: muted, ramp: 0) }
    }

    /// Requests a real-time priority for the thread of a real device.
    func requestRealtimePriority(of renderer: AudioRenderer, _ work: inout SoundThreadState) {
        guard case .alsa = state.withLock({ $0.device.backend }),
            let threadID = renderer.threadID(until: MonotonicTime.now + Self.threadStartTimeout)
        else { return }
        work.device.realtimeRequest = try? RealtimeRequest(for: threadID)
    }

    /// How long a new thread may take until it runs, nanoseconds.
    private static let threadStartTimeout: Int64 = 10_000_000

    // MARK: A device that hangs

    /// How late the device's thread must be before the device counts as hanging, nanoseconds. When a suspended process
    /// continues, its threads resume one after the other, so the device's thread may be late for a moment.
    private static let hangTimeout: Int64 = 100_000_000

    /// How long after the time at which the device's thread should have run the pipeline checks whether it hangs,
    /// nanoseconds.
    private static let hangCheckDelay: Int64 = 1_000_000

    /// Replaces the device if its thread hangs in an ALSA function, which the hanging thread cannot detect itself.
    func replaceHangingDevice(_ work: inout SoundThreadState) {
        let now = MonotonicTime.now
        guard let renderer = state.withLock({ $0.device.renderer }), renderer.hangDeadline < now else {
            return work.device.unresponsiveSince = nil
        }
        let since = work.device.unresponsiveSince ?? now
        work.device.unresponsiveSince = since
        guard now - since >= Self.hangTimeout else { return }
        work.device.unresponsiveSince = nil
        deviceFailed(
            renderer, "the device does not return from a call. Check that the sound server runs (`pactl info`)",
            &work)
    }

    /// Returns the host time of the next call of ``replaceHangingDevice(_:)``; nil if no check is due.
    func nextHangCheckTime(of renderer: AudioRenderer?, _ deviceState: DeviceState) -> Int64? {
        if let since = deviceState.unresponsiveSince { return since + Self.hangTimeout }
        guard let due = renderer?.hangDeadline, due != .max else { return nil }
        return due + Self.hangCheckDelay
    }

    // MARK: Loss and recovery of a device

    /// Replaces a lost device by a null device of the same format and pace, so that picture and source continue
    /// undisturbed.
    ///
    /// - Parameters:
    ///   - hasWrongClock: Whether the device was closed because its clock runs at a wrong rate.
    func deviceFailed(
        _ old: AudioRenderer, _ reason: String, hasWrongClock: Bool = false, _ work: inout SoundThreadState
    ) {
        let now = MonotonicTime.now
        old.requestClose()
        work.device.lostRenderer = old
        state.update { state in
            state.device.counters.add(old)
            state.device.counters.losses += 1
            state.playedPositions.deviceLost()
        }
        do {
            replace(old, by: try AudioRenderer(backend: .null, requested: old.format, name: "sound out"), &work)
        } catch {
            state.update { $0.device.renderer = nil }
            return report(.unavailable(reason))
        }
        let isFirst = work.device.recovery?.deviceFailed(at: now, hasWrongClock: hasWrongClock) ?? true
        work.device.recovery = work.device.recovery ?? DeviceRecovery(lostAt: now, hasWrongClock: hasWrongClock)
        work.device.lostFormat = old.format
        report(.lost(reason, isFirst: isFirst))
        if work.device.recovery?.isExhausted == true { report(.recoveryFailed) }
    }

    /// Starts a new attempt to open the lost device if one is due.
    ///
    /// - Parameter hasRetryReason: Whether an external event, such as a hot-plugged device, justifies attempts after
    ///   the recovery was given up.
    func reopenDevice(_ work: inout SoundThreadState, hasRetryReason: Bool) {
        guard work.device.recovery != nil, work.device.opener == nil, let format = work.device.lostFormat
        else { return }
        let now = MonotonicTime.now
        if hasRetryReason { work.device.recovery?.restartIfExhausted(at: now) }
        guard let next = work.device.recovery?.nextAttempt, now >= next else { return }
        work.device.recovery?.beginAttempt()
        state.update { $0.device.counters.attempts += 1 }
        // Open the device in the format of the lost device, into which the sources already decode.
        work.device.opener = open(
            format, format.speakers.isEmpty ? channelChoice : .layouts([format.speakers]),
            after: work.device.lostRenderer.take())
        if work.device.opener == nil { scheduleNextAttempt(&work) }
    }

    /// Replaces the null device by the reopened device if their formats agree; otherwise schedules another attempt.
    private func installReopenedDevice(_ outcome: AsyncDeviceOpener.Outcome, _ work: inout SoundThreadState) {
        let created: AudioRenderer
        switch outcome {
        case .success(let renderer): created = renderer
        case .failure(let error):
            // Report the error if it differs from the previous attempt's error.
            if work.device.openFailureReason != nil { reportOpenFailure("\(error)", &work) }
            return scheduleNextAttempt(&work)
        }
        guard created.format == work.device.lostFormat, let nullDevice = state.withLock({ $0.device.renderer }) else {
            // The sources decode into the format of the lost device, which the reopened device does not accept.
            created.requestClose()
            work.device.lostRenderer = created
            return scheduleNextAttempt(&work)
        }
        work.device.recovery?.succeeded(at: MonotonicTime.now)
        work.device.openFailureReason = nil
        state.update { state in
            state.device.counters.returns += 1
            state.playedPositions.deviceReturned()
        }
        replace(nullDevice, by: created, &work)
        requestRealtimePriority(of: created, &work)
        nullDevice.close()
        report(.returned)
    }

    /// Schedules the next attempt to open the lost device after a failed attempt. Reports a failure if none is left.
    private func scheduleNextAttempt(_ work: inout SoundThreadState) {
        work.device.recovery?.failed(at: MonotonicTime.now)
        if work.device.recovery?.isExhausted == true { report(.recoveryFailed) }
    }

    /// Replaces the device and continues at the current media time. Audio that the old device had queued is skipped.
    private func replace(_ old: AudioRenderer, by new: AudioRenderer, _ work: inout SoundThreadState) {
        install(new)
        let isPlaying = state.update { state in
            let itemAudio = state.timeline.currentAudio, isPlaying = state.requests.isPlaying
            if let itemAudio {
                let lastPlayed = state.playedPositions.mediaTime(
                    of: itemAudio.number, at: MonotonicTime.now, isPlaying: isPlaying, speed: itemAudio.speed)
                state.timeline.restart(at: work.writer.startHostTime == nil ? lastPlayed ?? itemAudio.start : nil)
            } else {
                state.timeline.restart(at: nil)
            }
            work.writer.restart(itemAudio, new)
            return isPlaying
        }
        if work.writer.isFinished { new.markEndOfStream() }
        if isPlaying { new.start() }
    }

    /// Closes devices that are still being opened or closed. Called when the thread "sound" ends.
    func releaseDevices(_ deviceState: inout DeviceState) {
        deviceState.opener?.abandon()
        deviceState.pendingDeviceSwitch?.opener.abandon()
        if deviceState.lostRenderer?.close() == false { report(.deviceNotReleased(Self.detachedThreadWarning)) }
    }
}
