import Foundation
import SwiftPlay

/// The command that plays episodes.
extension PodcastsProgram {
    /// Plays an episode until its end, or until the user stops it.
    ///
    /// - Parameter number: The number of the episode; nil for ``Library/nextEpisode``.
    func play(_ number: Int?) async throws {
        let library = try file.read()
        guard let episode = number.map({ library.episode($0) }) ?? library.nextEpisode,
            let feed = library.feed(ofEpisode: episode.number)
        else {
            throw PodcastsError(
                number.map { "there is no episode \($0); `podcasts episodes` lists the numbers" }
                    ?? "there is no episode to play; `podcasts download` gets some")
        }
        let player = try EpisodePlayer(file: file, folder: folder)
        self.player = player
        player.onMessage = { [unowned self] in printLines([$0]) }
        let (ends, continuation) = AsyncStream<PodcastsError?>.makeStream()
        player.onEnd = { continuation.yield($0) }
        onTermination { player.stop() }
        // While the program is open, fetches and notifications come to this process.
        work.register()
        await picture.show(episode, of: feed)
        player.play(episode, of: feed)
        // The program has no window whose end would be the time for a picture.
        Application.shared.setNeedsSnapshot()
        for await failure in ends {
            if let failure { throw failure }
            return
        }
    }
}
