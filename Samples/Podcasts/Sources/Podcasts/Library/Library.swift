import Foundation

/// All that the program knows: a value, which ``LibraryFile`` stores.
struct Library: Codable, Equatable, Sendable {
    /// The length of ``identifier``.
    static let identifierLength = 8
    /// The newest form of the stored library that this program reads.
    static let newestVersion = 1
    private static let feedLimit = 200, activityLimit = 10

    /// A work in the background, for `podcasts status`.
    struct Activity: Codable, Equatable, Sendable {
        let date: Date
        let text: String
    }

    private(set) var version = newestVersion
    /// Eight random digits, by which the files and transfers of the library are recognised.
    let identifier: String
    private(set) var feeds: [Feed] = []
    private(set) var nextNumber = 1
    /// The last works in the background, oldest first.
    private(set) var activities: [Activity] = []
    /// The identifiers of transfers that the program itself has cancelled; nil for none.
    private var cancelledTransfers: [Int]?

    /// Creates an empty library.
    init(identifier: String = String(UUID().uuidString.lowercased().prefix(identifierLength))) {
        self.identifier = identifier
    }

    // MARK: Feeds

    /// Adds a feed without episodes.
    mutating func subscribe(to address: URL) throws {
        guard feed(address) == nil else { throw PodcastsError("you have subscribed to \(address) already") }
        guard feeds.count < Self.feedLimit else { throw PodcastsError("there are \(Self.feedLimit) feeds already") }
        feeds.append(Feed(number: nextNumber, address: address))
        nextNumber += 1
    }

    /// Removes a feed with its episodes. ``Reconciliation`` then finds that their files and transfers have no episode.
    mutating func unsubscribe(from address: URL) { feeds.removeAll { $0.address == address } }

    /// Takes over a new version of a feed, unless the user has unsubscribed meanwhile.
    ///
    /// - Returns: The number of new episodes.
    mutating func merge(_ document: FeedDocument, _ validators: FeedValidators, of address: URL, now: Date) -> Int {
        guard let index = feeds.firstIndex(where: { $0.address == address }) else { return 0 }
        var number = nextNumber
        let newCount = feeds[index].merge(document) {
            defer { number += 1 }
            return number
        }
        nextNumber = number
        feeds[index].validators = validators
        handleAnswer(of: index, now: now)
        return newCount
    }

    /// Records that the picture of a feed was received.
    mutating func setPicture(_ picture: Feed.Picture, of address: URL) {
        if let index = feeds.firstIndex(where: { $0.address == address }) { feeds[index].picture = picture }
    }

    /// Records that a feed has not changed.
    mutating func recordUnchanged(_ address: URL, now: Date) {
        if let index = feeds.firstIndex(where: { $0.address == address }) { handleAnswer(of: index, now: now) }
    }

    /// Records that a feed could not be refreshed. Nothing that is known about it changes.
    mutating func recordFailure(_ address: URL, _ reason: String) {
        if let index = feeds.firstIndex(where: { $0.address == address }) { feeds[index].failure = reason }
    }

    private mutating func handleAnswer(of index: Int, now: Date) {
        feeds[index].lastRefresh = now
        feeds[index].failure = nil
    }

    /// Returns the feed with an address.
    func feed(_ address: URL) -> Feed? { feeds.first { $0.address == address } }

    /// Returns the feed that the user names by its place in the list or its address.
    func feed(named name: String) throws -> Feed {
        if let place = Int(name), feeds.indices.contains(place - 1) { return feeds[place - 1] }
        if let feed = feeds.first(where: { $0.address.absoluteString == name }) { return feed }
        throw PodcastsError("there is no feed \(name); `podcasts list` lists the feeds")
    }

    // MARK: Episodes

    /// All episodes, feed by feed.
    var episodes: [Episode] { feeds.flatMap(\.episodes) }

    /// Returns the episode with a number; nil if it does not exist any more.
    func episode(_ number: Int) -> Episode? { episodes.first { $0.number == number } }

    /// Returns the feed of an episode.
    func feed(ofEpisode number: Int) -> Feed? { feeds.first { $0.episodes.contains { $0.number == number } } }

    /// Returns the name of an episode or a feed outside the library.
    func key(_ number: Int) -> LibraryKey { LibraryKey(library: identifier, number: number) }

    /// Returns the episode with a key; nil if the key is of another library.
    func episode(_ key: LibraryKey) -> Episode? { key.library == identifier ? episode(key.number) : nil }

    /// The names of the files that belong to episodes and feeds.
    var fileNames: Set<String> { Set(episodes.compactMap(\.fileName) + feeds.compactMap(\.picture?.name)) }

    /// Changes an episode, if it still exists.
    mutating func changeEpisode(_ number: Int, _ change: (inout Episode) -> Void) {
        for feed in feeds.indices {
            guard let index = feeds[feed].episodes.firstIndex(where: { $0.number == number }) else { continue }
            return change(&feeds[feed].episodes[index])
        }
    }

    /// Records that the file of an episode is in the media folder.
    mutating func recordDownload(_ name: String, of key: LibraryKey) {
        if let episode = episode(key) { changeEpisode(episode.number) { $0.file = .downloaded(name: name) } }
    }

    /// Records that a download has failed, unless the file is there: another transfer of the episode was faster.
    mutating func recordFailure(_ reason: String, ofDownload key: LibraryKey) {
        guard let episode = episode(key), episode.file == .requested else { return }
        changeEpisode(episode.number) { $0.file = .failed(reason: reason) }
    }

    /// Records that the program itself cancels transfers, so that their ends do not count as cancellations by the user.
    ///
    /// - Parameter endingTransfers: The transfers whose ends follow. Earlier records of other transfers are removed.
    mutating func recordCancellation(ofTransfers identifiers: [Int], endingTransfers: [Int]) {
        let earlier = Set(cancelledTransfers ?? []).intersection(endingTransfers)
        let all = earlier.union(identifiers).sorted()
        cancelledTransfers = all.isEmpty ? nil : all
    }

    /// Returns whether the program itself has cancelled a transfer.
    func hasCancelled(transfer identifier: Int) -> Bool { cancelledTransfers?.contains(identifier) == true }

    /// The episode that `podcasts play` continues or begins: the one that was played last and not to its end; without
    /// one, the newest that was downloaded and not played.
    var nextEpisode: Episode? {
        let begun = episodes.filter { $0.lastPlayed != nil && !$0.isPlayed }
        if let last = begun.max(by: { ($0.lastPlayed ?? .distantPast) < ($1.lastPlayed ?? .distantPast) }) {
            return last
        }
        let ready = episodes.filter { $0.fileName != nil && !$0.isPlayed }
        return ready.max { ($0.published ?? .distantPast) < ($1.published ?? .distantPast) }
    }

    // MARK: Activities

    /// Records a work in the background.
    mutating func record(_ activity: Activity) { activities = (activities + [activity]).suffix(Self.activityLimit) }
}
