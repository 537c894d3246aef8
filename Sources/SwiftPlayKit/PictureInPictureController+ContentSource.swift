import SwiftPlay

extension PictureInPictureController {
    /// The source of the pictures that a floating window shows (AVPictureInPictureController.ContentSource). Main queue
    /// only.
    @MainActor
    public final class ContentSource {
        /// The player's layer; nil if the program supplies its own frames.
        public let playerLayer: PlayerLayer?
        /// The layer to which the program supplies its own frames; nil if a player supplies the frames.
        public let sampleBufferDisplayLayer: SampleBufferDisplayLayer?
        /// The delegate that controls playback of frames that the program supplies (a weak reference).
        public private(set) weak var sampleBufferPlaybackDelegate: (any PictureInPictureSampleBufferPlaybackDelegate)?

        /// The router that sends the layer's frames to the layer's output, to the floating window, or to the output and
        /// the window.
        package let router: FrameRouter

        /// Creates a source for a player's layer.
        ///
        /// - Parameter playerLayer: The layer that shows the player's video.
        public init(playerLayer: PlayerLayer) {
            self.playerLayer = playerLayer
            sampleBufferDisplayLayer = nil
            router = playerLayer.router
        }

        /// Creates a source for frames that the program supplies itself.
        ///
        /// - Parameters:
        ///   - layer: The layer to which the program supplies the frames.
        ///   - playbackDelegate: The delegate that performs the requests of the floating window's controls and provides
        ///     their state.
        public init(
            sampleBufferDisplayLayer layer: SampleBufferDisplayLayer,
            playbackDelegate: any PictureInPictureSampleBufferPlaybackDelegate
        ) {
            playerLayer = nil
            sampleBufferDisplayLayer = layer
            sampleBufferPlaybackDelegate = playbackDelegate
            router = layer.router
        }

        /// Whether the layer has a frame with which Picture-in-Picture can start.
        var isReadyForDisplay: Bool {
            if let playerLayer {
                return playerLayer.isReadyForDisplay && playerLayer.player?.currentItem?.hasVideo == true
            }
            return sampleBufferDisplayLayer?.isReadyForDisplay == true
        }

        /// Whether the source has a picture or may have one soon.
        enum PictureAvailability {
            /// The source has a picture, or an item that is being opened may have one.
            case picture
            /// The source has no picture, for example because its player has no item.
            case none
            /// The source has no picture because this item failed.
            case failed(PlayerItem)
        }

        /// Whether the source has a picture now or may have one soon.
        var pictureAvailability: PictureAvailability {
            guard let playerLayer else { return .picture }
            guard let player = playerLayer.player, !player.core.isClosed else { return .none }
            guard let item = player.currentItem else { return .none }
            return switch item.status {
            case .unknown: .picture
            case .failed: .failed(item)
            case .readyToPlay: item.hasVideo ? .picture : .none
            }
        }

        /// Observes ``isReadyForDisplay`` and ``pictureAvailability``.
        ///
        /// - Parameter observer: Called when one of the two properties may have changed, on any thread.
        /// - Returns: The registration. Keep it as long as the observer is to be called.
        func observe(_ observer: @escaping @Sendable () -> Void) -> (any Sendable)? {
            if let playerLayer { return playerLayer.observe(observer) }
            return sampleBufferDisplayLayer?.observe(observer)
        }
    }
}

/// The delegate that controls playback of frames that the program supplies itself, while a floating window shows them
/// (AVPictureInPictureSampleBufferPlaybackDelegate). Called on the main queue.
@MainActor
public protocol PictureInPictureSampleBufferPlaybackDelegate: AnyObject {
    /// The user requests playback or a pause with the floating window's controls. Perform the request, then call
    /// ``PictureInPictureController/invalidatePlaybackState()``.
    func pictureInPictureController(_ controller: PictureInPictureController, setPlaying playing: Bool)
    /// Returns the time range that can be played, on the timeline of the layer's clock: a finite range that contains
    /// the current time, a range with an infinite duration for a live source, or an invalid range if there is nothing
    /// to play.
    func pictureInPictureControllerTimeRangeForPlayback(_ controller: PictureInPictureController) -> MediaTimeRange
    /// Returns whether the play button of the floating window shows that playback is paused.
    func pictureInPictureControllerIsPlaybackPaused(_ controller: PictureInPictureController) -> Bool
    /// The size of the picture in the floating window changed. Frames larger than this size take more time and look no
    /// better. This method is first called before `didStart`.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - newRenderSize: The size of the picture in pixels.
    func pictureInPictureController(
        _ controller: PictureInPictureController, didTransitionToRenderSize newRenderSize: VideoSize)
    /// The user requests a skip with the floating window's controls. The program may skip to another time, such as a
    /// keyframe or the end.
    ///
    /// - Parameters:
    ///   - controller: The controller.
    ///   - skipInterval: The time by which to skip; negative to skip backward.
    ///   - completion: Call it, from any thread, when the layer's clock has its new time and rate, and also if the skip
    ///     failed. The position slider requests its next skip after that; the skip buttons do not wait.
    func pictureInPictureController(
        _ controller: PictureInPictureController, skipByInterval skipInterval: MediaTime,
        completion: @escaping @Sendable () -> Void)
    /// Returns whether audio must stop while the floating window is off the screen; optional, false by default. Called
    /// at each ``PictureInPictureController/invalidatePlaybackState()``. Only a video call takes the window off the
    /// screen, and every video call pauses playback, whatever this method returns.
    func pictureInPictureControllerShouldProhibitBackgroundAudioPlayback(_ controller: PictureInPictureController)
        -> Bool
}

extension PictureInPictureSampleBufferPlaybackDelegate {
    public func pictureInPictureControllerShouldProhibitBackgroundAudioPlayback(
        _ controller: PictureInPictureController
    ) -> Bool { false }
}
