import Dispatch
import Foundation
import SwiftPlay

/// Plays an episode, and remembers where it was left.
@MainActor
final class EpisodePlayer {
    /// The interval between two records of the position, in seconds: a crash loses no more.
    private static let savingInterval: Int64 = 5

    private let file: LibraryFile
    private let folder: MediaFolder
    private let player: Player
    private let layer: PlayerLayer
    private let nowPlaying: NowPlayingSession
    private var observation: Player.Observation?
    private var timeObserver: TimeObserver?
    private var audioTask: Task<Void, Never>?
    private var episode: Episode?
    /// Called with a line for the user.
    var onMessage: @MainActor (String) -> Void = { _ in }
    /// Called when playback has ended: with nil after the end of the episode or at the user's request.
    var onEnd: @MainActor (PodcastsError?) -> Void = { _ in }

    init(file: LibraryFile, folder: MediaFolder) throws {
        // Speech that is not heard is lost: a prompt of another program pauses it instead of lowering it.
        try AudioSession.sharedInstance().setCategory(.playback, mode: .spokenAudio)
        (self.file, self.folder) = (file, folder)
        player = try Player()
        layer = PlayerLayer(player: player)
        nowPlaying = NowPlayingSession(player: player, name: "Podcasts")
        nowPlaying.canQuit = true
        nowPlaying.onCommand = { [weak self] in self?.handle($0) ?? false }
        observation = player.observe { [weak self] in self?.handle($0) }
        timeObserver = player.addPeriodicTimeObserver(
            forInterval: MediaTime(value: Self.savingInterval, timescale: 1)
        ) { [weak self] _ in
            MainActor.assumeIsolated { self?.savePosition() }
        }
        let notifications = AudioSession.sharedInstance().notifications
        audioTask = Task { [weak self] in for await notification in notifications { self?.handle(notification) } }
    }

    /// Plays an episode from where it was left: its file, or its address if it was not downloaded.
    func play(_ episode: Episode, of feed: Feed) {
        self.episode = episode
        let item =
            episode.fileName.map { PlayerItem(location: folder.path(of: $0)) } ?? PlayerItem(url: episode.media)
        item.externalMetadata = [
            MetadataItem(key: MetadataItem.Key.title, stringValue: episode.title),
            MetadataItem(key: MetadataItem.Key.artist, stringValue: feed.name),
        ]
        if let name = feed.picture?.name, let data = FileManager.default.contents(atPath: folder.path(of: name)) {
            item.externalMetadata.append(MetadataItem(key: MetadataItem.Key.artwork, dataValue: Array(data)))
        }
        item.playbackStartTime = MediaTime(seconds: episode.position)
        player.replaceCurrentItem(with: item)
        player.play()
        let start = episode.position >= 1 ? " from \(EpisodeTable.time(episode.position))" : ""
        onMessage("\(feed.name): \(episode.title)\(start)")
    }

    /// Records the position and ends playback.
    func stop() {
        savePosition()
        close()
        onEnd(nil)
    }

    private func close() {
        audioTask?.cancel()
        nowPlaying.close()
        player.close()
    }

    // MARK: Events

    private func handle(_ notification: Player.Notification) {
        switch notification {
        case .firstFrameShown where episode != nil:
            // An episode with pictures: the overview shows the film instead of the feed's picture.
            Application.shared.snapshotLayer = layer
            Application.shared.setNeedsSnapshot()
        case .rateChanged(0): savePosition()
        case .didPlayToEnd:
            recordEnd()
            close()
            onEnd(nil)
        case .itemFailed(_, let error), .failedToPlayToEnd(_, let error):
            savePosition()
            close()
            onEnd(PodcastsError("the episode cannot be played: \(error.message)"))
        default: break
        }
    }

    /// Handles what other programs and devices do to the audio. The player pauses by itself, and resumes by itself if
    /// the interruption permits that.
    private func handle(_ notification: AudioSession.Notification) {
        switch notification {
        case .interruptionBegan:
            savePosition()
            onMessage("interrupted at \(EpisodeTable.time(player.currentTime().seconds))")
        case .interruptionEnded(let shouldResume):
            onMessage(shouldResume ? "the interruption has ended" : "the interruption has ended; press play to go on")
        case .routeChange(reason: .oldDeviceUnavailable, _):
            savePosition()
            onMessage("the headphones were removed; press play to go on")
        default: break
        }
    }

    /// Handles a command of the desktop. The session itself applies the others to the player.
    private func handle(_ command: NowPlayingSession.Command) -> Bool {
        guard case .quit = command else { return false }
        stop()
        return true
    }

    // MARK: Position

    private func savePosition() {
        guard let episode, player.currentItem != nil else { return }
        let position = player.currentTime().seconds
        guard position.isFinite, position > 0 else { return }
        change(episode) { $0.position = position }
    }

    private func recordEnd() {
        guard let episode else { return }
        self.episode = nil
        change(episode) { ($0.isPlayed, $0.position) = (true, 0) }
    }

    private func change(_ episode: Episode, _ body: (inout Episode) -> Void) {
        do {
            try file.change { library in
                library.changeEpisode(episode.number) { episode in
                    episode.lastPlayed = Date()
                    body(&episode)
                }
            }
        } catch { onMessage("the position cannot be stored: \(error)") }
    }
}
