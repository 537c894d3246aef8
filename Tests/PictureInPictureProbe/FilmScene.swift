import SwiftPlayKit

/// A scene (a window with a Picture-in-Picture controller) that plays a media file.
@MainActor
final class FilmScene: Scene {
    private let player: QueuePlayer
    private let layer = PlayerLayer()
    private var observation: Player.Observation?
    /// The Picture-in-Picture content source for this scene's layer.
    private let layerContentSource: PictureInPictureController.ContentSource

    init(_ name: String, probe: Probe, file: String, geometry: String?) throws {
        var configuration = Player.Configuration()
        configuration.audioOutput = .null
        player = try QueuePlayer(configuration: configuration)
        layerContentSource = PictureInPictureController.ContentSource(playerLayer: layer)
        super.init(name, probe: probe)
        player.actionAtItemEnd = .pause
        layer.player = player
        var options = PlayerWindow.Options()
        options.title = name
        options.geometry = geometry
        let window = PlayerWindow(layer: layer, options: options)
        window.openAutomatically(for: player)
        self.window = window
        observation = player.observe { [weak self] notification in
            switch notification {
            case .didPlayToEnd: self?.writeLine("playedToEnd")
            case .itemFailed:
                self?.writeLine("itemFailed")
                self?.delegate.performRegisteredCommand(for: "itemFailed")
            case .firstFrameShown: self?.writeLine("firstFrame")
            default: break
            }
        }
        makeController()
        if file != "none" { player.replaceCurrentItem(with: PlayerItem(location: file)) }
        player.play()
    }

    override var contentSource: PictureInPictureController.ContentSource? { layerContentSource }
    override var router: FrameRouter? { layer.router }
    override var stateDetails: String { "rate=\(player.rate) layerReady=\(layer.isReadyForDisplay)" }

    override func perform(
        _ verb: String, _ argument: String, _ furtherArguments: [String], _ scenes: [String: Scene]
    ) -> Bool {
        switch verb {
        case "play": player.play()
        case "pause": player.pause()
        case "seek":
            player.seek(
                to: MediaTime(seconds: Double(argument) ?? 0), toleranceBefore: .zero, toleranceAfter: .zero)
        case "item": player.replaceCurrentItem(with: argument == "none" ? nil : PlayerItem(location: argument))
        case "closePlayer": player.close()
        case "detach": layer.player = nil
        case "append": player.insert(PlayerItem(location: argument), after: nil)
        case "atEnd": player.actionAtItemEnd = argument == "advance" ? .advance : .pause
        default: return super.perform(verb, argument, furtherArguments, scenes)
        }
        return true
    }

    override func close() {
        super.close()
        player.close()
    }
}
