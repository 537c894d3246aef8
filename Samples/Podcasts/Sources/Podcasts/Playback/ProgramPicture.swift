import Foundation
import SwiftPlay

/// The picture of the program in the overview: that of a feed, unless an episode with pictures plays.
@MainActor
final class ProgramPicture {
    /// The time for which a picture is awaited.
    private static let timeout = Duration.seconds(3)
    private let folder: MediaFolder
    private var player: Player?
    private let layer = PlayerLayer()
    private var observation: Player.Observation?

    init(folder: MediaFolder) { self.folder = folder }

    /// Shows the picture of the feed with the newest episode in the layer from which the overview takes it.
    ///
    /// Returns when the layer shows the picture, or the feed has none.
    func showNewest(of library: Library) async {
        let newest = library.episodes.max {
            ($0.published ?? .distantPast, $0.number) < ($1.published ?? .distantPast, $1.number)
        }
        guard let newest, let feed = library.feed(ofEpisode: newest.number) else { return }
        await show(newest, of: feed)
    }

    /// Shows the picture of a feed, with the title of an episode.
    func show(_ episode: Episode, of feed: Feed) async {
        guard let name = feed.picture?.name else { return }
        await show(folder.path(of: name), title: "\(feed.name): \(episode.title)")
    }

    private func show(_ path: String, title: String) async {
        let player: Player
        do { player = try self.player ?? Player() } catch { return }
        self.player = player
        layer.player = player
        Application.shared.snapshotLayer = layer
        let (events, continuation) = AsyncStream<Void>.makeStream()
        observation = player.observe { notification in
            switch notification {
            case .firstFrameShown, .itemFailed: continuation.finish()
            default: break
            }
        }
        let item = PlayerItem(location: path)
        item.externalMetadata = [MetadataItem(key: MetadataItem.Key.title, stringValue: title)]
        // The player is not started: a paused item shows its first picture.
        player.replaceCurrentItem(with: item)
        let timer = Task {
            try? await Task.sleep(for: Self.timeout)
            continuation.finish()
        }
        for await _ in events {}
        timer.cancel()
        observation = nil
    }
}
