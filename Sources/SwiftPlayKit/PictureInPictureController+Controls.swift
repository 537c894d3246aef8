import CompositorProtocol
import Dispatch
import Glibc
import SwiftPlay

/// Performs the user's requests of the floating window's controls, and sends the state of the controls.
extension PictureInPictureController {
    /// The skips that the user requests while the floating window shows frames that the program supplies.
    ///
    /// Dragging the position slider requests more skips than a program can perform. Therefore only one skip of the
    /// slider runs at a time, and only the newest target is kept. The skip buttons do not wait.
    struct SkipState {
        /// Whether the program is performing a skip that the position slider has requested.
        var isSliderSeekInProgress = false
        /// The newest time to which the user dragged the position slider; nil if no skip to that time is pending.
        var requestedTime: MediaTime?
        /// The number of the current skip. With this number the controller ignores the completion of an older skip.
        var skipNumber = 0

        /// Discards the requested time, and makes the completion of the current skip obsolete.
        mutating func reset() { self = SkipState(skipNumber: skipNumber + 1) }
    }

    /// Performs a request that the user made with the controls of the floating window.
    func performUserAction(_ action: ServerMessage.Action) {
        switch action {
        case .restore: return stopPictureInPicture()
        case .close: return closePictureInPicture()
        case .playPause: setPlaying(nil)
        // A compositor of an older version shows the skip and seek controls even if `requiresLinearPlayback` is set:
        // ignore their requests here.
        case .skip, .seek: if requiresLinearPlayback { return }
        case .volume, .mute: break
        }
        if let player = playerLayer?.player {
            switch action {
            case .skip(let interval):
                let now = player.currentTime().nanoseconds ?? 0
                seek(player, to: now.addingReportingOverflow(interval).partialValue)
            case .seek(let target): seek(player, to: target)
            case .volume(let thousandths):
                let perceivedVolume = Float(min(thousandths, 1300)) / 1000
                (player.volume, player.isMuted) = (perceivedVolume * perceivedVolume * perceivedVolume, false)
            case .mute: player.isMuted.toggle()
            case .restore, .close, .playPause: break
            }
        } else if let delegate = source?.sampleBufferPlaybackDelegate, let layer = source?.sampleBufferDisplayLayer {
            switch action {
            case .skip(let interval): skip(delegate, by: MediaTime(nanoseconds: interval))
            case .seek(let target):
                let start = delegate.pictureInPictureControllerTimeRangeForPlayback(self).start.nanoseconds ?? 0
                skipState.requestedTime = MediaTime(nanoseconds: start.addingReportingOverflow(target).partialValue)
                performSkip(delegate, layer)
            case .restore, .close, .playPause, .volume, .mute: break
            }
        }
        sendPlaybackState()
    }

    /// Seeks to a time in nanoseconds. The time is clamped to the item's duration.
    private func seek(_ player: Player, to target: Int64) {
        // Clamp the target time: the player refuses a seek beyond the end of the item.
        let end = player.currentItem?.duration.nanoseconds ?? .max
        let time = MediaTime(nanoseconds: min(max(0, target), max(0, end)))
        player.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
    }

    /// Requests that the program skip to the newest time of the position slider, unless it is already performing a skip
    /// of the slider.
    private func performSkip(
        _ delegate: any PictureInPictureSampleBufferPlaybackDelegate, _ layer: SampleBufferDisplayLayer
    ) {
        guard !skipState.isSliderSeekInProgress, let requestedTime = skipState.requestedTime.take()?.nanoseconds,
            let currentTime = layer.currentTime.nanoseconds
        else { return }
        skipState.isSliderSeekInProgress = true
        skip(delegate, by: MediaTime(nanoseconds: requestedTime.subtractingReportingOverflow(currentTime).partialValue))
    }

    /// Requests that the playback delegate skip by a time; a negative time skips backward.
    private func skip(_ delegate: any PictureInPictureSampleBufferPlaybackDelegate, by interval: MediaTime) {
        skipState.skipNumber += 1
        let skipNumber = skipState.skipNumber, owner = WeakReference(self)
        delegate.pictureInPictureController(self, skipByInterval: interval) {
            DispatchQueue.main.async { MainActor.assumeIsolated { owner.controller?.finishSkip(skipNumber) } }
        }
    }

    /// Records that the program has completed the skip with this number, and starts the next skip. An older number is
    /// ignored.
    private func finishSkip(_ skipNumber: Int) {
        sendPlaybackState()
        guard skipNumber == skipState.skipNumber else { return }
        skipState.isSliderSeekInProgress = false
        if let delegate = source?.sampleBufferPlaybackDelegate, let layer = source?.sampleBufferDisplayLayer {
            performSkip(delegate, layer)
        }
    }

    /// Whether the program or the user has requested playback, even if the player is buffering.
    var isPlaying: Bool {
        if let player = playerLayer?.player { return player.rate != 0 }
        return source?.sampleBufferPlaybackDelegate.map { !$0.pictureInPictureControllerIsPlaybackPaused(self) }
            ?? false
    }

    /// Starts or pauses playback.
    ///
    /// - Parameter playing: Whether to play; nil to toggle.
    func setPlaying(_ playing: Bool?) { setPlaying(playing, of: source) }

    /// Starts or pauses playback of a content source; toggles playback if `playing` is nil.
    func setPlaying(_ playing: Bool?, of source: ContentSource?) {
        if let player = source?.playerLayer?.player {
            playing ?? (player.rate == 0) ? player.play() : player.pause()
        } else if let delegate = source?.sampleBufferPlaybackDelegate {
            delegate.pictureInPictureController(
                self, setPlaying: playing ?? delegate.pictureInPictureControllerIsPlaybackPaused(self))
        }
    }

    // MARK: State of the controls

    /// Starts (true) or ends (false) sending the playback state to the floating window: twice a second, and whenever
    /// playback starts, pauses or seeks.
    func observePlayback(_ isEnabled: Bool) {
        playbackTimer?.cancel()
        playbackTimer = nil
        playbackObservation = nil
        guard isEnabled else { return }
        let owner = WeakReference(self)
        playbackObservation = playerLayer?.player?.observe { notification in
            switch notification {
            case .timeControlStatusChanged, .timeJumped, .seekCompleted: owner.controller?.sendPlaybackState()
            default: break
            }
        }
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .now() + .milliseconds(500), repeating: .milliseconds(500), leeway: .milliseconds(100))
        timer.setEventHandler { MainActor.assumeIsolated { owner.controller?.sendPlaybackState() } }
        timer.resume()
        playbackTimer = timer
    }

    /// Sends the playback position, the volume and the state of the buttons to the floating window.
    func sendPlaybackState() {
        session.fitTerminalCorner()
        let playbackState: PlaybackState
        if let player = playerLayer?.player {
            let range = MediaTimeRange(start: .zero, duration: player.currentItem?.duration ?? .invalid)
            playbackState = PlaybackState(isPaused: player.rate == 0, time: player.currentTime(), in: range)
            session.send(
                AudioState(
                    volume: UInt16(min(1300, (cbrtf(max(0, player.volume)) * 1000).rounded())), isMuted: player.isMuted)
            )
            session.send(isBuffering: player.isBuffering)
            let loadedEnd = player.currentItem?.loadedEnd?.nanoseconds ?? 0
            session.send { .loaded(session: $0, until: max(0, min(loadedEnd, PlaybackState.timeLimit))) }
        } else if let delegate = source?.sampleBufferPlaybackDelegate, let layer = source?.sampleBufferDisplayLayer {
            playbackState = PlaybackState(
                isPaused: delegate.pictureInPictureControllerIsPlaybackPaused(self), time: layer.currentTime,
                in: delegate.pictureInPictureControllerTimeRangeForPlayback(self))
        } else {
            return
        }
        session.send { .playback(session: $0, playbackState) }
    }

    /// Sends to the compositor whether skipping and seeking are disabled (``requiresLinearPlayback``).
    func sendLinearPlayback() {
        let isRequired = requiresLinearPlayback
        session.send { .setRequiresLinearPlayback(session: $0, isRequired) }
    }

    /// Notifies the playback delegate of the size of the picture in the floating window.
    func notifyRenderSize() {
        guard let renderSize else { return }
        source?.sampleBufferPlaybackDelegate?.pictureInPictureController(self, didTransitionToRenderSize: renderSize)
    }
}

extension PlaybackState {
    /// Creates the playback state that the floating window's controls show.
    ///
    /// - Parameters:
    ///   - isPaused: Whether playback is paused.
    ///   - time: The current time.
    ///   - range: The time range that can be played: a finite range, a range without an end (live), or an invalid range
    ///     (nothing to play). The shown position counts from the start of the range. It is clamped to the range,
    ///     because a clock may run slightly past the end.
    init(isPaused: Bool, time: MediaTime, in range: MediaTimeRange) {
        let start = range.start.nanoseconds ?? 0
        let duration = range.isValid ? max(0, range.duration.nanoseconds ?? 0) : 0
        let position = max(0, (time.nanoseconds ?? start).subtractingReportingOverflow(start).partialValue)
        self.init(isPaused: isPaused, position: duration > 0 ? min(position, duration) : position, duration: duration)
    }
}
