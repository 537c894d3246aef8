import SwiftPlay

extension PictureInPictureController {
    /// The source of the pictures of a floating window (AVPictureInPictureController.ContentSource). Main queue only.
    @MainActor
    public final class ContentSource {
        /// The player's layer; nil for a source of pictures of the program's own.
        public let playerLayer: PlayerLayer?
        /// The layer of pictures of the program's own; nil for a player's layer.
        public let sampleBufferDisplayLayer: SampleBufferDisplayLayer?
        /// The delegate that controls playback of pictures of the program's own (a weak reference).
        public private(set) weak var sampleBufferPlaybackDelegate: (any PictureInPictureSampleBufferPlaybackDelegate)?

        package let router: FrameRouter

        /// Creates a source for a player's layer.
        ///
        /// - Parameter playerLayer: The layer.
        public init(playerLayer: PlayerLayer) {
            self.playerLayer = playerLayer
            sampleBufferDisplayLayer = nil
            router = playerLayer.router
        }

        /// Creates a source for pictures of the program's own.
        ///
        /// - Parameters:
        ///   - layer: The layer of the pictures.
        ///   - playbackDelegate: Performs the requests of the window's controls and provides their state.
        public init(
            sampleBufferDisplayLayer layer: SampleBufferDisplayLayer,
            playbackDelegate: any PictureInPictureSampleBufferPlaybackDelegate
        ) {
            playerLayer = nil
            sampleBufferDisplayLayer = layer
            sampleBufferPlaybackDelegate = playbackDelegate
            router = layer.router
        }

        /// Whether there is a picture to start with.
        var isReadyForDisplay: Bool {
            if let playerLayer {
                return playerLayer.isReadyForDisplay && playerLayer.player?.currentItem?.hasVideo == true
            }
            return sampleBufferDisplayLayer?.isReadyForDisplay == true
        }

        enum Prospect {
            /// There is a picture, or an item that is being opened may have one.
            case picture
            /// There is no picture.
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

        /// Observes the properties above.
        ///
        /// - Parameter observer: Called when one of them may have changed, on any thread.
        /// - Returns: The registration. Keep it as long as the observer is to be called.
        func observe(_ observer: @escaping @Sendable () -> Void) -> (any Sendable)? {
            if let playerLayer { return playerLayer.observe(observer) }
            return sampleBufferDisplayLayer?.observe(observer)
        }
    }
}

/// The delegate that controls playback of pictures of the program's own in a floating window
/// (AVPictureInPictureSampleBufferPlaybackDelegate). Called on the main queue.
@MainActor
public protocol PictureInPictureSampleBufferPlaybackDelegate: AnyObject {
    /// The user requests playback or a pause. Perform it, then call
    /// ``PictureInPictureController/invalidatePlaybackState()``.
    func pictureInPictureController(_ controller: PictureInPictureController, setPlaying playing: Bool)
    /// Returns the range that can be played, by the layer's clock: a finite range that contains the current time, a
    /// range with an infinite duration for a live source, or an invalid range if there is nothing to play.
    func pictureInPictureControllerTimeRangeForPlayback(_ controller: PictureInPictureController) -> MediaTimeRange
    /// Returns whether the window's button shows that playback is paused.
    func pictureInPictureControllerIsPlaybackPaused(_ controller: PictureInPictureController) -> Bool
    /// The size of the picture in the window changed. Larger pictures only cost more. First called before `didStart`.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - newRenderSize: The size in pixels.
    func pictureInPictureController(
        _ controller: PictureInPictureController, didTransitionToRenderSize newRenderSize: VideoSize)
    /// The user requests a skip. The program may skip to another time, such as a keyframe or the end.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - skipInterval: The interval; negative for a skip backward.
    ///   - completion: Call it, from any thread, when the layer's clock has its new time and rate, and also if the skip
    ///     failed. Until then, further requests of a dragged slider wait.
    func pictureInPictureController(
        _ controller: PictureInPictureController, skipByInterval skipInterval: MediaTime,
        completion: @escaping @Sendable () -> Void)
    /// Returns whether audio must stop while the window is off the screen; optional, false by default. Called at each
    /// ``PictureInPictureController/invalidatePlaybackState()``. Only a video call takes the window off the screen, and
    /// it pauses playback in any case.
    func pictureInPictureControllerShouldProhibitBackgroundAudioPlayback(_ controller: PictureInPictureController)
        -> Bool
}

extension PictureInPictureSampleBufferPlaybackDelegate {
    public func pictureInPictureControllerShouldProhibitBackgroundAudioPlayback(
        _ controller: PictureInPictureController
    ) -> Bool { false }
}
