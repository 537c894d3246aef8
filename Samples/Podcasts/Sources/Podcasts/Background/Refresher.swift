import Foundation

/// The result of a refresh of feeds.
struct RefreshSummary: Equatable, Sendable {
    /// The feeds with new episodes, by their addresses, and the numbers of new episodes.
    var newCounts: [URL: Int] = [:]
    var unchangedCount = 0
    /// The feeds that could not be refreshed, with the reasons.
    var failures: [URL: String] = [:]

    var newCount: Int { newCounts.values.reduce(0, +) }

    var text: String {
        var parts = [EpisodeTable.count(newCount, "new episode")]
        if !failures.isEmpty { parts.append("\(EpisodeTable.count(failures.count, "feed")) could not be refreshed") }
        return parts.joined(separator: ", ")
    }
}

/// The refresh of feeds: it requests, parses and merges them.
struct Refresher: Sendable {
    /// The number of feeds that are requested at a time.
    private static let parallelRequests = 4
    private static let pictureLimit = 4 << 20
    private static let pictureSuffixes: Set = ["png", "jpg", "jpeg", "webp"]
    let file: LibraryFile
    let folder: MediaFolder
    private let fetcher = FeedFetcher()

    init(file: LibraryFile, folder: MediaFolder) { (self.file, self.folder) = (file, folder) }

    /// Subscribes to a feed. A feed that cannot be received or parsed is not added.
    func subscribe(to address: URL) async throws -> Feed {
        guard try file.read().feed(address) == nil else {
            throw PodcastsError("you have subscribed to \(address) already")
        }
        guard case .changed(let data, let validators) = try await fetcher.fetch(address) else {
            throw PodcastsError("the server answers that the feed is unchanged, although it was not sent")
        }
        let document = try FeedParser.parse(data, address: address)
        try file.change { library in
            try library.subscribe(to: address)
            _ = library.merge(document, validators, of: address, now: Date())
        }
        await receivePicture(of: address)
        guard let feed = try file.read().feed(address) else { throw PodcastsError("\(address) was removed meanwhile") }
        return feed
    }

    /// Refreshes all feeds, or the feed with an address.
    ///
    /// - Throws: ``PodcastsError`` if the library cannot be read or written. What was received until then is kept.
    func refresh(only address: URL? = nil) async throws -> RefreshSummary {
        let feeds = try file.read().feeds.filter { address == nil || $0.address == address }
        var waitingFeeds = feeds[...], summary = RefreshSummary()
        try await withThrowingTaskGroup(of: (Feed, Outcome).self) { group in
            func addTask() {
                guard let feed = waitingFeeds.popFirst() else { return }
                group.addTask { (feed, try await refresh(feed)) }
            }
            for _ in 0..<Self.parallelRequests { addTask() }
            while let (feed, outcome) = try await group.next() {
                switch outcome {
                case .new(let count): summary.newCounts[feed.address] = count
                case .unchanged: summary.unchangedCount += 1
                case .failed(let reason): summary.failures[feed.address] = reason
                }
                addTask()
            }
        }
        return summary
    }

    private enum Outcome: Sendable {
        case new(Int)
        case unchanged
        case failed(String)
    }

    /// Refreshes a feed. A feed that cannot be received or parsed loses nothing.
    private func refresh(_ feed: Feed) async throws -> Outcome {
        do {
            switch try await fetcher.fetch(feed.address, validators: feed.validators) {
            case .unchanged:
                try file.change { $0.recordUnchanged(feed.address, now: Date()) }
                return .unchanged
            case .changed(let data, let validators):
                let document = try FeedParser.parse(data, address: feed.address)
                let count = try file.change { $0.merge(document, validators, of: feed.address, now: Date()) }
                await receivePicture(of: feed.address)
                return count > 0 ? .new(count) : .unchanged
            }
        } catch let error as PodcastsError {
            try file.change { $0.recordFailure(feed.address, error.description) }
            return .failed(error.description)
        } catch is CancellationError { return .failed("the time was over") }
    }

    /// Receives the picture of a feed if it has a new one. A failure leaves the feed without a picture.
    private func receivePicture(of address: URL) async {
        guard let library = try? file.read(), let feed = library.feed(address), let artwork = feed.artwork,
            artwork != feed.picture?.address, Self.pictureSuffixes.contains(artwork.pathExtension.lowercased()),
            case .changed(let data, _) = try? await fetcher.fetch(artwork, limit: Self.pictureLimit)
        else { return }
        let name = "\(library.key(feed.number)).\(artwork.pathExtension.lowercased())"
        do {
            try folder.write(data, as: name)
            try file.change { $0.setPicture(Feed.Picture(address: artwork, name: name), of: address) }
        } catch {}
    }
}
