import Dispatch
import Glibc
import SwiftPlayKit

/// Plays a file in Picture-in-Picture. On SIGUSR1, the main queue blocks for the given number of seconds. The program
/// prints a line when Picture-in-Picture starts, when the main queue blocks, and when Picture-in-Picture stops.
///
/// usage: HangingProgram FILE SECONDS
@MainActor
final class HangingProgram: PictureInPictureControllerDelegate {
    private let player: Player
    private let window: PlayerWindow
    private let pictureInPicture: PictureInPictureController?
    private let signalSource = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .main)

    init(file: String, seconds: UInt32) throws {
        // Picture-in-Picture is possible only in the category `playback` or `playAndRecord`.
        try AudioSession.sharedInstance().setCategory(.playback)
        player = try Player()
        let layer = PlayerLayer(player: player)
        window = PlayerWindow(layer: layer)
        pictureInPicture = PictureInPictureController(playerLayer: layer)
        pictureInPicture?.delegate = self
        signal(SIGUSR1, SIG_IGN)
        signalSource.setEventHandler {
            print("hanging")
            fflush(nil)
            sleep(seconds)
        }
        signalSource.resume()
        window.openAutomatically(for: player)
        player.replaceCurrentItem(with: PlayerItem(location: file))
        player.play()
        pictureInPicture?.startPictureInPictureWhenPossible()
    }

    func pictureInPictureControllerDidStartPictureInPicture(_ controller: PictureInPictureController) {
        print("started")
        fflush(nil)
    }

    func pictureInPictureControllerDidStopPictureInPicture(_ controller: PictureInPictureController) {
        print("stopped: \(controller.stopReason.map { "\($0)" } ?? "?"), rate \(player.rate)")
        fflush(nil)
    }
}

guard CommandLine.arguments.count == 3, let seconds = UInt32(CommandLine.arguments[2]) else {
    fatalError("usage: HangingProgram FILE SECONDS")
}
let program = try HangingProgram(file: CommandLine.arguments[1], seconds: seconds)
dispatchMain()
