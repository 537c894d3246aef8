import CompositorProtocol
import Dispatch
import Glibc
import SwiftPlay

/// The controls of the floating window: their state and the user's requests.
extension PictureInPictureController {
    /// The state of skips: at most one is under way, and the newest request waits.
    struct Skipping {
        var isUnderway = false
        var wanted: MediaTime?
        /// The number of the current skip, which tells its completion from that of an older one.
        var number = 0
    }

    func act(_ action: ServerMessage.Action) {
        switch action {
        case .restore: return stopPictureInPicture()
        case .close: return closePictureInPicture()
        case .playPause: setPlaying(nil)
        // An older compositor shows the buttons in any case.
        case .skip, .seek: if requiresLinearPlayback { return }
        case .volume, .mute: break
        }
        if let player = playerLayer?.player {
            switch action {
            case .skip(let time):
                seek(player, to: (player.currentTime().nanoseconds ?? 0).addingReportingOverflow(time).partialValue)
            case .seek(let target): seek(player, to: target)
            case .volume(let thousandths):
                let felt = Float(min(thousandths, 1300)) / 1000
                (player.volume, player.isMuted) = (felt * felt * felt, false)
            case .mute: player.isMuted.toggle()
            case .restore, .close, .playPause: break
            }
        } else if let delegate = source?.sampleBufferPlaybackDelegate, let layer = source?.sampleBufferDisplayLayer {
            switch action {
            case .skip(let time): skip(delegate, by: MediaTime(nanoseconds: time))
            case .seek(let target):
                let start = delegate.pictureInPictureControllerTimeRangeForPlayback(self).start.nanoseconds ?? 0
                skipping.wanted = MediaTime(nanoseconds: start.addingReportingOverflow(target).partialValue)
                skipToWanted(delegate, layer)
            case .restore, .close, .playPause, .volume, .mute: break
            }
        }
        tellFacts()
    }

    private func seek(_ player: Player, to target: Int64) {
        // A seek beyond the end would be ignored.
        let end = player.currentItem?.duration.nanoseconds ?? .max
        let time = MediaTime(nanoseconds: min(max(0, target), max(0, end)))
        player.seek(to: time, toleranceBefore: .zero, toleranceAfter: .zero)
    }

    private func skipToWanted(
        _ delegate: any PictureInPictureSampleBufferPlaybackDelegate, _ layer: SampleBufferDisplayLayer
    ) {
        guard !skipping.isUnderway, let wanted = skipping.wanted.take()?.nanoseconds,
            let now = layer.currentTime.nanoseconds
        else { return }
        skipping.isUnderway = true
        skip(delegate, by: MediaTime(nanoseconds: wanted.subtractingReportingOverflow(now).partialValue))
    }

    private func skip(_ delegate: any PictureInPictureSampleBufferPlaybackDelegate, by interval: MediaTime) {
        skipping.number += 1
        let number = skipping.number, relay = Relay(self)
        delegate.pictureInPictureController(self, skipByInterval: interval) {
            DispatchQueue.main.async { MainActor.assumeIsolated { relay.controller?.hasSkipped(number) } }
        }
    }

    private func hasSkipped(_ number: Int) {
        tellFacts()
        guard number == skipping.number else { return }
        skipping.isUnderway = false
        if let delegate = source?.sampleBufferPlaybackDelegate, let layer = source?.sampleBufferDisplayLayer {
            skipToWanted(delegate, layer)
        }
    }

    var isPlaying: Bool {
        if let player = playerLayer?.player { return player.rate != 0 }
        return source?.sampleBufferPlaybackDelegate.map { !$0.pictureInPictureControllerIsPlaybackPaused(self) }
            ?? false
    }

    /// Starts or pauses playback.
    ///
    /// - Parameter playing: Whether to play; nil to toggle.
    func setPlaying(_ playing: Bool?) { setPlaying(playing, of: source) }

    func setPlaying(_ playing: Bool?, of source: ContentSource?) {
        if let player = source?.playerLayer?.player {
            playing ?? (player.rate == 0) ? player.play() : player.pause()
        } else if let delegate = source?.sampleBufferPlaybackDelegate {
            delegate.pictureInPictureController(
                self, setPlaying: playing ?? delegate.pictureInPictureControllerIsPlaybackPaused(self))
        }
    }

    // MARK: What they show

    /// Sends the state of the controls to the window, twice a second while it is open.
    func watchFacts(_ on: Bool) {
        facts?.cancel()
        facts = nil
        playbackObservation = nil
        guard on else { return }
        let relay = Relay(self)
        playbackObservation = playerLayer?.player?.observe { notification in
            switch notification {
            case .timeControlStatusChanged, .timeJumped, .seekCompleted: relay.controller?.tellFacts()
            default: break
            }
        }
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .now() + .milliseconds(500), repeating: .milliseconds(500), leeway: .milliseconds(100))
        timer.setEventHandler { MainActor.assumeIsolated { relay.controller?.tellFacts() } }
        timer.resume()
        facts = timer
    }

    func tellFacts() {
        session.fitCorner()
        let now: PlaybackFacts
        if let player = playerLayer?.player {
            let range = MediaTimeRange(start: .zero, duration: player.currentItem?.duration ?? .invalid)
            now = PlaybackFacts(isPaused: player.rate == 0, time: player.currentTime(), in: range)
            session.tell(
                SoundFacts(
                    volume: UInt16(min(1300, (cbrtf(max(0, player.volume)) * 1000).rounded())), isMuted: player.isMuted)
            )
            session.tell(isBuffering: player.isBuffering)
        } else if let delegate = source?.sampleBufferPlaybackDelegate, let layer = source?.sampleBufferDisplayLayer {
            now = PlaybackFacts(
                isPaused: delegate.pictureInPictureControllerIsPlaybackPaused(self), time: layer.currentTime,
                in: delegate.pictureInPictureControllerTimeRangeForPlayback(self))
        } else {
            return
        }
        session.send { .playback(session: $0, now) }
    }

    func tellLinear() {
        let isLinear = requiresLinearPlayback
        session.send { .setLinear(session: $0, isLinear) }
    }

    func tellRenderSize() {
        guard let renderSize else { return }
        source?.sampleBufferPlaybackDelegate?.pictureInPictureController(self, didTransitionToRenderSize: renderSize)
    }
}

extension PlaybackFacts {
    /// Creates the state of the controls.
    ///
    /// - Parameter range: A finite range, a range without an end (live), or an invalid range (nothing to play). The
    ///   time counts from its start and is clamped to it, because clocks pass an end slightly.
    init(isPaused: Bool, time: MediaTime, in range: MediaTimeRange) {
        let start = range.start.nanoseconds ?? 0
        let duration = range.isValid ? max(0, range.duration.nanoseconds ?? 0) : 0
        let position = max(0, (time.nanoseconds ?? start).subtractingReportingOverflow(start).partialValue)
        self.init(isPaused: isPaused, position: duration > 0 ? min(position, duration) : position, duration: duration)
    }
}
