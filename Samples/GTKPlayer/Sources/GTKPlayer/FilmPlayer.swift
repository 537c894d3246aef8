import CGTK
import Dispatch
import Glibc
import SwiftPlayKit

/// Connects a player with the window, and moves the film to Picture-in-Picture and back.
@MainActor
final class FilmPlayer: PictureInPictureControllerDelegate {
    private let player: Player
    private let frames: FramePaintable
    private let window: FilmWindow
    /// The source of Picture-in-Picture. No window is attached to it: the paintable takes the frames from the item's
    /// video output.
    private let layer: PlayerLayer
    private let pictureInPicture: PictureInPictureController?
    private var observation: Player.Observation?
    private var timeObserver: TimeObserver?
    /// The library's handler that waits until the window shows the film again; nil while none waits.
    private var restoreHandler: (@Sendable (Bool) -> Void)?

    init(file: String, application: UnsafeMutablePointer<GtkApplication>) throws {
        // Declare the audio of a film: when it starts, audio of other programs pauses.
        try AudioSession.sharedInstance().setCategory(.playback, mode: .moviePlayback)
        let item = PlayerItem(location: file)
        player = try Player()
        layer = PlayerLayer(player: player)
        frames = FramePaintable(player: player, item: item)
        window = FilmWindow(application: application, title: file, paintable: frames.paintable)
        pictureInPicture = PictureInPictureController(playerLayer: layer)
        pictureInPicture?.delegate = self
        frames.drawnSize = { [unowned window] in window.pictureSize }
        frames.onFrame = { [unowned self] in if restoreHandler != nil { window.afterNextPaint { self.endRestore() } } }
        window.onRequest = { [unowned self] in handle($0) }
        observation = player.observe { [unowned self] in handle($0) }
        timeObserver = player.addPeriodicTimeObserver(forInterval: MediaTime(value: 1, timescale: 4)) {
            [weak self] _ in
            // The main actor runs on the main queue.
            MainActor.assumeIsolated { self?.updateTime() }
        }
        if let pictureInPicture {
            Task { [window] in
                for await isPossible in pictureInPicture.values(of: \.isPictureInPicturePossible) {
                    window.setPictureInPicturePossible(isPossible)
                }
            }
        }
        // Set the item after adding the observer, because an item that cannot be opened fails immediately.
        player.replaceCurrentItem(with: item)
        player.play()
    }

    private func handle(_ request: FilmWindow.Request) {
        switch request {
        case .playOrPause: player.rate == 0 ? player.play() : player.pause()
        case .startOrStopPictureInPicture where pictureInPicture?.isPictureInPictureActive == true:
            pictureInPicture?.stopPictureInPicture()
        case .startOrStopPictureInPicture: pictureInPicture?.startPictureInPicture()
        case .seek(let seconds): player.seek(to: MediaTime(seconds: seconds))
        case .close: quit()
        }
    }

    private func handle(_ notification: Player.Notification) {
        switch notification {
        case .itemReady(let item):
            if !item.hasVideo { window.open(filmSize: .zero) }
        case .firstFrameShown(let item): window.open(filmSize: item.presentationSize)
        case .itemFailed(_, let error): quit(because: error.message)
        case .rateChanged, .timeControlStatusChanged: window.setPlaying(player.rate != 0)
        default: break
        }
    }

    private func updateTime() {
        // During a seek the bar stays where the user has moved it.
        guard !player.isSeeking, let item = player.currentItem else { return }
        window.setTime(player.currentTime().seconds, duration: item.duration.seconds)
    }

    private func quit(because reason: String? = nil) {
        if let reason { print("gtk-player: \(reason)") }
        player.close()
        exit(reason == nil ? 0 : 1)
    }

    // MARK: Picture-in-Picture

    func pictureInPictureControllerDidStartPictureInPicture(_ controller: PictureInPictureController) {
        // The floating window shows the film. The paintable takes no more frames.
        frames.isRunning = false
        window.showPlaceholder(true)
    }

    /// Brings the window to the front, and calls the handler when the window has painted the film: the floating window
    /// shows the film until then.
    func pictureInPictureController(
        _ controller: PictureInPictureController,
        restoreUserInterfaceForPictureInPictureStopWithCompletionHandler completionHandler:
            @escaping @Sendable (Bool) -> Void
    ) {
        restoreHandler = completionHandler
        window.showPlaceholder(false)
        window.present()
        frames.isRunning = true
        // A window on another workspace is not painted: close the floating window after a second at the latest.
        DispatchQueue.main.asyncAfter(deadline: .now() + 1) { [weak self] in
            MainActor.assumeIsolated { self?.endRestore() }
        }
    }

    private func endRestore() {
        restoreHandler?(true)
        restoreHandler = nil
    }

    func pictureInPictureControllerDidStopPictureInPicture(_ controller: PictureInPictureController) {
        // Picture in Picture also stops when the user closes the floating window; the restore method is not called
        // then.
        window.showPlaceholder(false)
        if !frames.isRunning { frames.isRunning = true }
    }

    func pictureInPictureController(
        _ controller: PictureInPictureController, failedToStartPictureInPictureWithError error: any Error
    ) { print("gtk-player: \(error)") }
}
