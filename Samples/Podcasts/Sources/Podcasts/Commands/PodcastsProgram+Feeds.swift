import Foundation

/// The commands for feeds.
extension PodcastsProgram {
    func subscribe(to address: URL) async throws {
        work.register()
        let feed = try await refresher.subscribe(to: address)
        try await startDownloads()
        printLines(["subscribed to \(feed.name): \(EpisodeTable.count(feed.episodes.count, "episode"))"])
    }

    func unsubscribe(from name: String) async throws {
        work.register()
        let feed = try file.change { library in
            let feed = try library.feed(named: name)
            library.unsubscribe(from: feed.address)
            return feed
        }
        // Removes the files and cancels the transfers.
        try await startDownloads()
        printLines(["unsubscribed from \(feed.name)"])
    }

    func refresh(_ name: String?) async throws {
        work.register()
        let feed = try name.map { try file.read().feed(named: $0) }
        let summary = try await refresher.refresh(only: feed?.address)
        try await startDownloads()
        printLines([summary.text] + summary.failures.map { "\($0.key): \($0.value)" }.sorted())
        if !summary.failures.isEmpty { throw PodcastsError("not all feeds could be refreshed") }
    }

    /// Starts the downloads of requested episodes.
    private func startDownloads() async throws {
        do { try await downloads.reconcile() } catch let error as PodcastsError {
            printLines(["the downloads begin later: \(error)"])
        }
    }
}
