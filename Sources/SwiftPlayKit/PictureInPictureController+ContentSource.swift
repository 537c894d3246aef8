import SwiftPlay

extension PictureInPictureController {
    /// Where the pictures of a floating window come from (AVPictureInPictureController.ContentSource). Main queue only.
    @MainActor
    public final class ContentSource {
        /// nil for a source of a program's own pictures.
        public let playerLayer: PlayerLayer?
        /// nil for a player's layer.
        public let sampleBufferDisplayLayer: SampleBufferDisplayLayer?
        /// Not kept: the program does.
        public private(set) weak var sampleBufferPlaybackDelegate: (any PictureInPictureSampleBufferPlaybackDelegate)?

        package let router: FrameRouter

        /// A player's picture.
        public init(playerLayer: PlayerLayer) {
            self.playerLayer = playerLayer
            sampleBufferDisplayLayer = nil
            router = playerLayer.router
        }

        /// Pictures that a program makes itself. `playbackDelegate` does what the controls in the window ask for, and
        /// says what they show.
        public init(
            sampleBufferDisplayLayer layer: SampleBufferDisplayLayer,
            playbackDelegate: any PictureInPictureSampleBufferPlaybackDelegate
        ) {
            playerLayer = nil
            sampleBufferDisplayLayer = layer
            sampleBufferPlaybackDelegate = playbackDelegate
            router = layer.router
        }

        /// There is a picture that a window could begin with.
        var isReadyForDisplay: Bool {
            if let playerLayer {
                return playerLayer.isReadyForDisplay && playerLayer.player?.currentItem?.hasVideo == true
            }
            return sampleBufferDisplayLayer?.isReadyForDisplay == true
        }

        enum Prospect {
            /// There is one, or there may be one soon: an item that is still being opened.
            case picture
            /// There is none.
            case none
            case failed(PlayerItem)
        }

        var prospect: Prospect {
            guard let playerLayer else { return .picture }
            guard let player = playerLayer.player, !player.core.isClosed else { return .none }
            guard let item = player.currentItem else { return .none }
            return switch item.status {
            case .unknown: .picture
            case .failed: .failed(item)
            case .readyToPlay: item.hasVideo ? .picture : .none
            }
        }

        /// Calls `observer` when one of these may have changed, on any thread, for as long as the result is kept.
        func observe(_ observer: @escaping @Sendable () -> Void) -> (any Sendable)? {
            if let playerLayer { return playerLayer.observe(observer) }
            return sampleBufferDisplayLayer?.observe(observer)
        }
    }
}

/// Plays for a floating window what a program shows by itself (AVPictureInPictureSampleBufferPlaybackDelegate). Every
/// call comes on the main queue.
@MainActor
public protocol PictureInPictureSampleBufferPlaybackDelegate: AnyObject {
    /// The user wants it to play, or to pause. Do it, then call
    /// ``PictureInPictureController/invalidatePlaybackState()``.
    func pictureInPictureController(_ controller: PictureInPictureController, setPlaying playing: Bool)
    /// What can be played, by the clock of the layer: a finite range that contains the present time; a duration of
    /// `positiveInfinity` for what is live; `invalid` when there is nothing.
    func pictureInPictureControllerTimeRangeForPlayback(_ controller: PictureInPictureController) -> MediaTimeRange
    /// What the window's button shows, whatever the rate is at the moment.
    func pictureInPictureControllerIsPlaybackPaused(_ controller: PictureInPictureController) -> Bool
    /// The window shows the picture in this size, in pixels: larger ones cost more than they show. The first time it
    /// comes before `didStart`.
    func pictureInPictureController(
        _ controller: PictureInPictureController, didTransitionToRenderSize newRenderSize: VideoSize)
    /// The user wants to go on, or back (negative). Where it comes to may differ: a keyframe, the end. Call
    /// `completion`, from any thread, when the layer's clock has its new time and rate, and also when it failed: until
    /// then a dragged line of progress waits.
    func pictureInPictureController(
        _ controller: PictureInPictureController, skipByInterval skipInterval: MediaTime,
        completion: @escaping @Sendable () -> Void)
    /// Whether sound may not go on while the window is off the screen. Asked at each
    /// ``PictureInPictureController/invalidatePlaybackState()``. Optional, false. A video call, which alone takes the
    /// window off the screen, pauses what plays in it whatever this says.
    func pictureInPictureControllerShouldProhibitBackgroundAudioPlayback(_ controller: PictureInPictureController)
        -> Bool
}

extension PictureInPictureSampleBufferPlaybackDelegate {
    public func pictureInPictureControllerShouldProhibitBackgroundAudioPlayback(
        _ controller: PictureInPictureController
    ) -> Bool { false }
}
