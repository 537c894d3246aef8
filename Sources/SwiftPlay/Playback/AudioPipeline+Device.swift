import AudioOutput
import Logging
import SystemCalls

/// Preparation, opening, loss and reopening of the audio device. All but the preparation runs on the audio thread,
/// which never calls ALSA itself, because ALSA may block.
extension AudioPipeline {
    /// The time for which ``close()`` waits for the thread of ``prepareDevice()``, in nanoseconds.
    private static let preparationTimeout: Int64 = 200_000_000

    /// Loads what the first device needs in the background, while a file is being opened. Only the first call has an
    /// effect.
    ///
    /// The libraries of a sound server take about as long to load as a file takes to open. Loaded later, they delay not
    /// only the sound, but also the window and the decoder, because a new thread waits until the dynamic loader has
    /// linked a library.
    func prepareDevice() {
        guard case .alsa = state.withLock({ $0.device.backend }) else { return }
        preparation.withLock { thread in
            // Without a thread, the device loads its libraries when it is opened.
            if thread == nil { thread = try? NamedThread("sound load", ALSAPCM.loadConfiguration) }
        }
    }

    /// Waits for the thread of ``prepareDevice()``, and abandons it if the sound server does not respond.
    ///
    /// - Returns: false if the thread was abandoned.
    func endPreparation() -> Bool {
        guard let thread = preparation.withLock({ $0.take() }),
            !thread.join(until: MonotonicTime.now + Self.preparationTimeout)
        else { return true }
        thread.detach()
        return false
    }

    /// Opens a device for the requested format in the background, unless a device for this format is open or being
    /// opened.
    func openDevice(_ requestedFormat: AudioFormat, _ threadState: inout AudioThreadState) {
        let openFormat = state.withLock { $0.device.renderer == nil ? nil : $0.device.openedForFormat }
        if openFormat == requestedFormat {
            return report(.deviceOpened(isNullDevice: threadState.pendingDevices.openFailureReason != nil))
        }
        if threadState.pendingDevices.recovery == nil,
            threadState.pendingDevices.opener?.requestedFormat == requestedFormat
        {
            return
        }
        threadState.pendingDevices.opener?.abandon()
        threadState.pendingDevices.recovery = nil
        let oldRenderer = state.update { state in
            state.device.counters = state.device.allCounters
            return state.device.renderer.take()
        }
        oldRenderer?.requestClose()
        threadState.pendingDevices.opener = open(
            requestedFormat, channelChoice, after: oldRenderer ?? threadState.pendingDevices.lostRenderer.take())
        if threadState.pendingDevices.opener == nil { report(.unavailable("cannot start a thread")) }
    }

    /// Starts to open a device once `oldRenderer` is closed, and returns the attempt; nil if no thread can be started.
    private func open(_ requestedFormat: AudioFormat, _ channelChoice: ChannelChoice, after oldRenderer: AudioRenderer?)
        -> AsyncDeviceOpener?
    {
        let (backend, period) = state.withLock { ($0.device.backend, $0.requests.preferredPeriod) }
        return try? AsyncDeviceOpener(
            backend: backend, requested: requestedFormat, channels: channelChoice, period: period, name: "sound out",
            session: gainPage, after: oldRenderer)
    }

    /// Starts to use the device that has been opened in the background, or handles the error.
    func installOpenedDevice(_ threadState: inout AudioThreadState) {
        guard let opener = threadState.pendingDevices.opener, let outcome = opener.takeOutcome() else { return }
        threadState.pendingDevices.opener = nil
        guard threadState.pendingDevices.recovery == nil else { return installReopenedDevice(outcome, &threadState) }
        switch outcome {
        case .success(let openedRenderer):
            install(openedRenderer)
            threadState.pendingDevices.openFailureReason = nil
            state.update { $0.device.openedForFormat = opener.requestedFormat }
            report(.deviceOpened(isNullDevice: false))
            requestRealtimePriority(of: openedRenderer, &threadState)
        case .failure(let error): installNullDevice(for: opener.requestedFormat, "\(error)", &threadState)
        }
    }

    /// Uses a null device because the real device could not be opened. The null device consumes audio as fast as a real
    /// device, and further attempts to open the real device follow.
    private func installNullDevice(
        for requestedFormat: AudioFormat, _ reason: String, _ threadState: inout AudioThreadState
    ) {
        // Decode to stereo, which every device accepts: the format stays the same when a real device is opened later.
        let nullFormat =
            requestedFormat.channels > 2 ? AudioFormat(rate: requestedFormat.rate, channels: 2) : requestedFormat
        do {
            let nullDevice = try AudioRenderer(backend: .null, requested: nullFormat, name: "sound out")
            install(nullDevice)
            state.update { $0.device.openedForFormat = requestedFormat }
            threadState.pendingDevices.recovery = DeviceRecovery(lostAt: MonotonicTime.now)
            threadState.pendingDevices.lostFormat = nullDevice.format
            reportOpenFailure(reason, &threadState)
            report(.deviceOpened(isNullDevice: true))
        } catch { report(.unavailable(reason)) }
    }

    /// Reports to the player why a null device replaces the real device, unless the same reason was reported before.
    private func reportOpenFailure(_ reason: String, _ threadState: inout AudioThreadState) {
        if reason != threadState.pendingDevices.openFailureReason { report(.openFailed(reason)) }
        threadState.pendingDevices.openFailureReason = reason
    }

    /// Makes an opened device the current device, and sets the player's volume on it.
    private func install(_ openedRenderer: AudioRenderer) {
        let (volume, isMuted) = state.update { state in
            state.device.renderer = openedRenderer
            return (state.requests.volume, state.requests.isMuted)
        }
        if volume != 1 || isMuted { openedRenderer.setVolume(volume, muted: isMuted, ramp: 0) }
    }

    /// Requests a real-time priority for the thread of a real device.
    func requestRealtimePriority(of renderer: AudioRenderer, _ threadState: inout AudioThreadState) {
        guard case .alsa = state.withLock({ $0.device.backend }),
            let threadID = renderer.threadID(until: MonotonicTime.now + Self.threadStartTimeout)
        else { return }
        do throws(SystemCallError) {
            threadState.pendingDevices.realtimeRequest = try RealtimeRequest(for: threadID)
        } catch { Logger(label: "audio").debug("the audio render thread has no real-time priority: \(error)") }
    }

    /// The time limit for the start of a new thread, in nanoseconds.
    private static let threadStartTimeout: Int64 = 10_000_000

    // MARK: A device that hangs

    /// The time for which the device's thread must stay past ``AudioRenderer/hangDeadline``, counted from the first
    /// check that finds it late, before the device counts as hanging, in nanoseconds. When a suspended process
    /// continues, its threads resume one after the other, so the device's thread may be late for a moment.
    private static let hangTimeout: Int64 = 100_000_000

    /// The time between ``AudioRenderer/hangDeadline`` and the first check, in nanoseconds.
    private static let hangCheckDelay: Int64 = 1_000_000

    /// Replaces the device if its thread hangs in an ALSA function, which the hanging thread cannot detect itself.
    func replaceHangingDevice(_ threadState: inout AudioThreadState) {
        let now = MonotonicTime.now
        guard let renderer = state.withLock({ $0.device.renderer }), renderer.hangDeadline < now else {
            return threadState.pendingDevices.firstLateCheckTime = nil
        }
        let firstLateCheckTime = threadState.pendingDevices.firstLateCheckTime ?? now
        threadState.pendingDevices.firstLateCheckTime = firstLateCheckTime
        guard now - firstLateCheckTime >= Self.hangTimeout else { return }
        threadState.pendingDevices.firstLateCheckTime = nil
        handleDeviceFailure(
            renderer, "the device does not return from a call. Check that the sound server runs (`pactl info`)",
            &threadState)
    }

    /// Returns the host time of the next call of ``replaceHangingDevice(_:)``; nil if no check is due.
    func nextHangCheckTime(of renderer: AudioRenderer?, _ pendingDevices: PendingDevices) -> Int64? {
        if let firstLateCheckTime = pendingDevices.firstLateCheckTime { return firstLateCheckTime + Self.hangTimeout }
        guard let deadline = renderer?.hangDeadline, deadline != .max else { return nil }
        return deadline + Self.hangCheckDelay
    }

    // MARK: Loss and recovery of a device

    /// Replaces a lost device by a null device that consumes audio of the same format at the same rate, so that video
    /// and decoding continue.
    ///
    /// - Parameters:
    ///   - hasWrongClock: Whether the device was closed because its clock runs at a wrong rate.
    func handleDeviceFailure(
        _ oldRenderer: AudioRenderer, _ reason: String, hasWrongClock: Bool = false,
        _ threadState: inout AudioThreadState
    ) {
        let now = MonotonicTime.now
        oldRenderer.requestClose()
        threadState.pendingDevices.lostRenderer = oldRenderer
        state.update { state in
            state.device.counters.add(oldRenderer)
            state.device.counters.losses += 1
            state.playedPositions.recordDeviceLoss()
        }
        do {
            let nullDevice = try AudioRenderer(backend: .null, requested: oldRenderer.format, name: "sound out")
            replace(oldRenderer, by: nullDevice, &threadState)
        } catch {
            state.update { $0.device.renderer = nil }
            return report(.unavailable(reason))
        }
        let isFirst =
            threadState.pendingDevices.recovery?.recordDeviceFailure(at: now, hasWrongClock: hasWrongClock) ?? true
        threadState.pendingDevices.recovery =
            threadState.pendingDevices.recovery ?? DeviceRecovery(lostAt: now, hasWrongClock: hasWrongClock)
        threadState.pendingDevices.lostFormat = oldRenderer.format
        report(.deviceLost(reason, isFirst: isFirst))
        if threadState.pendingDevices.recovery?.isExhausted == true { report(.recoveryFailed) }
    }

    /// Starts a new attempt to open the lost device if one is due.
    ///
    /// - Parameter hasRetryReason: Whether an external event, such as a hot-plugged device, justifies attempts after
    ///   the recovery was given up.
    func reopenDevice(_ threadState: inout AudioThreadState, hasRetryReason: Bool) {
        guard threadState.pendingDevices.recovery != nil, threadState.pendingDevices.opener == nil,
            let format = threadState.pendingDevices.lostFormat
        else { return }
        let now = MonotonicTime.now
        if hasRetryReason { threadState.pendingDevices.recovery?.restartIfExhausted(at: now) }
        guard let nextAttemptTime = threadState.pendingDevices.recovery?.nextAttemptTime, now >= nextAttemptTime else {
            return
        }
        threadState.pendingDevices.recovery?.beginAttempt()
        state.update { $0.device.counters.attempts += 1 }
        // Open the device in the format of the lost device, into which the sources already decode.
        threadState.pendingDevices.opener = open(
            format, format.speakers.isEmpty ? channelChoice : .layouts([format.speakers]),
            after: threadState.pendingDevices.lostRenderer.take())
        if threadState.pendingDevices.opener == nil { scheduleNextAttempt(&threadState) }
    }

    /// Replaces the null device by the reopened device if their formats agree; otherwise schedules another attempt.
    private func installReopenedDevice(_ outcome: AsyncDeviceOpener.Outcome, _ threadState: inout AudioThreadState) {
        let openedRenderer: AudioRenderer
        switch outcome {
        case .success(let renderer): openedRenderer = renderer
        case .failure(let error):
            // Report the error if it differs from the previous attempt's error.
            if threadState.pendingDevices.openFailureReason != nil { reportOpenFailure("\(error)", &threadState) }
            return scheduleNextAttempt(&threadState)
        }
        guard openedRenderer.format == threadState.pendingDevices.lostFormat,
            let nullDevice = state.withLock({ $0.device.renderer })
        else {
            // The sources decode into the format of the lost device, which the reopened device does not accept.
            openedRenderer.requestClose()
            threadState.pendingDevices.lostRenderer = openedRenderer
            return scheduleNextAttempt(&threadState)
        }
        threadState.pendingDevices.recovery?.recordReopening(at: MonotonicTime.now)
        threadState.pendingDevices.openFailureReason = nil
        state.update { state in
            state.device.counters.returns += 1
            state.playedPositions.recordDeviceReturn()
        }
        replace(nullDevice, by: openedRenderer, &threadState)
        nullDevice.close()
        report(.deviceReturned)
        requestRealtimePriority(of: openedRenderer, &threadState)
    }

    /// Schedules the next attempt to open the lost device after a failed attempt. Reports a failure if none is left.
    private func scheduleNextAttempt(_ threadState: inout AudioThreadState) {
        threadState.pendingDevices.recovery?.recordFailedAttempt(at: MonotonicTime.now)
        if threadState.pendingDevices.recovery?.isExhausted == true { report(.recoveryFailed) }
    }

    /// Replaces the device and continues at the current media time. Audio that the old device had queued is skipped.
    private func replace(
        _ oldRenderer: AudioRenderer, by newRenderer: AudioRenderer, _ threadState: inout AudioThreadState
    ) {
        install(newRenderer)
        let isPlaying = state.update { state in
            let itemAudio = state.timeline.currentAudio, isPlaying = state.requests.isPlaying
            if let itemAudio {
                let lastPlayed = state.playedPositions.mediaTime(
                    of: itemAudio.number, at: MonotonicTime.now, isPlaying: isPlaying, speed: itemAudio.speed)
                state.timeline.restartOnNewDevice(
                    at: threadState.writer.startHostTime == nil ? lastPlayed ?? itemAudio.start : nil)
            } else {
                state.timeline.restartOnNewDevice(at: nil)
            }
            threadState.writer.restart(itemAudio, newRenderer)
            return isPlaying
        }
        if threadState.writer.isFinished { newRenderer.markEndOfStream() }
        if isPlaying { newRenderer.start() }
    }

    /// Closes devices that are still being opened or closed. Called when the audio thread ends.
    func releaseDevices(_ pendingDevices: inout PendingDevices) {
        pendingDevices.opener?.abandon()
        pendingDevices.pendingDeviceSwitch?.opener.abandon()
        if pendingDevices.lostRenderer?.close() == false { report(.deviceNotReleased(Self.detachedThreadWarning)) }
    }
}
