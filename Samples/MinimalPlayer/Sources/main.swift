import Dispatch
import Glibc
import SwiftPlayKit

/// Plays a file in a window. `p` moves the picture into Picture-in-Picture and back, SPACE pauses, `q` quits.
@MainActor
final class MinimalPlayer: PictureInPictureControllerDelegate {
    let player: Player
    let window: PlayerWindow
    let pictureInPicture: PictureInPictureController?
    var observation: Player.Observation?

    init(file: String) throws {
        // Declare the audio of a film: when it starts, audio of other programs pauses.
        try AudioSession.sharedInstance().setCategory(.playback, mode: .moviePlayback)
        player = try Player()
        let layer = PlayerLayer(player: player)
        window = PlayerWindow(layer: layer)
        pictureInPicture = PictureInPictureController(playerLayer: layer)
        pictureInPicture?.delegate = self
        window.onEvent = { [unowned self] in handle($0) }
        window.onFailure = { [unowned self] in quit(because: $0.message) }
        window.openAutomatically(for: player)
        observation = player.observe { [unowned self] in handle($0) }
        // Set the item after adding the observer, because an item that cannot be opened fails immediately.
        player.replaceCurrentItem(with: PlayerItem(location: file))
        player.play()
    }

    func handle(_ event: PlayerWindow.Event) {
        switch event {
        case .key("SPACE"): player.rate == 0 ? player.play() : player.pause()
        case .key("p") where pictureInPicture?.isPictureInPictureActive == true:
            pictureInPicture?.stopPictureInPicture()
        case .key("p"): pictureInPicture?.startPictureInPicture()
        case .key("q"), .closeRequested: quit()
        case .lost(let reason): quit(because: reason)
        default: break
        }
    }

    func handle(_ notification: Player.Notification) {
        switch notification {
        case .didPlayToEnd: quit()
        case .itemFailed(_, let error): quit(because: error.message)
        default: break
        }
    }

    func quit(because reason: String? = nil) {
        if let reason { print("MinimalPlayer: \(reason)") }
        player.close()
        exit(reason == nil ? 0 : 1)
    }

    /// Brings the window to the front before the picture returns from the floating window.
    func pictureInPictureController(
        _ controller: PictureInPictureController,
        restoreUserInterfaceForPictureInPictureStopWithCompletionHandler completionHandler:
            @escaping @Sendable (Bool) -> Void
    ) {
        window.activate()
        completionHandler(true)
    }

    func pictureInPictureController(
        _ controller: PictureInPictureController, failedToStartPictureInPictureWithError error: any Error
    ) { print("MinimalPlayer: \(error)") }
}

guard CommandLine.arguments.count == 2 else { fatalError("usage: MinimalPlayer FILE") }
// A global variable holds the player, its window and its controller. All three close when their last reference is
// released.
let app = try MinimalPlayer(file: CommandLine.arguments[1])
// During development, the watchdog reports when the main thread is busy or waits.
let watchdog =
    getenv("WATCHDOG") == nil ? nil : try MainThreadWatchdog { print("MinimalPlayer: the main thread took \($0)") }
dispatchMain()
