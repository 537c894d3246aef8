import CompositorProtocol
import Dispatch
import Glibc
import SwiftPlay

/// The controls in the window: what they show, and what the user does with them.
extension PictureInPictureController {
    /// One seek is on its way; the newest place that was asked for meanwhile.
    struct Skipping {
        var isUnderway = false
        var wanted: MediaTime?
        /// Tells an answer to this one from an answer to an older one.
        var number = 0
    }

    func act(_ action: ServerMessage.Action) {
        switch action {
        case .restore: return stopPictureInPicture()
        case .close: return closePictureInPicture()
        case .playPause: setPlaying(nil)
        // An older compositor shows the buttons all the same.
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
        // Beyond the end nothing would happen.
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

    /// - Parameter playing: nil: the other way round.
    func setPlaying(_ playing: Bool?) { setPlaying(playing, of: source) }

    func setPlaying(_ playing: Bool?, of source: ContentSource?) {
        if let player = source?.playerLayer?.player {
            playing ?? (player.rate == 0) ? player.play() : player.pause()
        } else if let delegate = source?.sampleBufferPlaybackDelegate {
            delegate.pictureInPictureController(
                self, setPlaying: playing ?? delegate.pictureInPictureControllerIsPlaybackPaused(self))
        }
    }

    // MARK: what they show

    /// Tells the controls of the window what they show, twice a second while it is there.
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
    /// - Parameter range: finite, or without an end (what is live), or invalid (nothing to play). The time counts from
    ///   its start, and is held inside: clocks pass an end by a little.
    init(isPaused: Bool, time: MediaTime, in range: MediaTimeRange) {
        let start = range.start.nanoseconds ?? 0
        let duration = range.isValid ? max(0, range.duration.nanoseconds ?? 0) : 0
        let position = max(0, (time.nanoseconds ?? start).subtractingReportingOverflow(start).partialValue)
        self.init(isPaused: isPaused, position: duration > 0 ? min(position, duration) : position, duration: duration)
    }
}
