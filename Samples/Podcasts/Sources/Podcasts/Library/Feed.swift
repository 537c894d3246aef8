import Foundation

/// A feed to which the user has subscribed.
struct Feed: Codable, Equatable, Sendable {
    /// A received picture of the feed.
    struct Picture: Codable, Equatable, Sendable {
        /// The address from which it was received.
        let address: URL
        /// The name of its file.
        let name: String
    }

    /// The number that names the file of the picture.
    let number: Int
    /// The address, which identifies the feed.
    let address: URL
    var title = ""
    /// The address of the feed's picture.
    var artwork: URL?
    /// The picture that was received; nil if there is none.
    var picture: Picture?
    var validators = FeedValidators()
    /// When the server has last answered with a feed, or that the feed is unchanged.
    var lastRefresh: Date?
    /// Why the last refresh has failed; nil if it has not.
    var failure: String?
    /// The episodes, newest first.
    var episodes: [Episode] = []

    /// The title, or the address of a feed without one.
    var name: String { title.isEmpty ? address.absoluteString : title }

    /// The number of new episodes whose files a refresh requests, and of the first refresh.
    private static let requestLimit = 3, firstRequestLimit = 1

    /// Changes the feed to a new version that its server has sent.
    ///
    /// Episodes keep their numbers, files and positions. An episode that the new version does not list stays if it was
    /// downloaded or begun. The files of the newest new episodes are requested.
    ///
    /// - Parameter makeNumber: Returns the number of a new episode.
    /// - Returns: The number of new episodes.
    mutating func merge(_ document: FeedDocument, makeNumber: () -> Int) -> Int {
        title = document.title.isEmpty ? title : document.title
        artwork = document.artwork ?? artwork
        let isFirst = lastRefresh == nil
        let oldEpisodes = Dictionary(episodes.map { ($0.identity, $0) }) { first, _ in first }
        var identities: Set<String> = [], merged: [Episode] = [], newNumbers: Set<Int> = []
        // The oldest episode gets the lowest number.
        for item in document.items.reversed() where identities.insert(item.identity).inserted {
            if var episode = oldEpisodes[item.identity] {
                episode.update(item)
                merged.append(episode)
            } else {
                let episode = Episode(number: makeNumber(), item: item)
                newNumbers.insert(episode.number)
                merged.append(episode)
            }
        }
        merged += episodes.filter { !identities.contains($0.identity) && $0.isOfUse }
        episodes = merged.sorted(by: Self.isNewer)
        let limit = isFirst ? Self.firstRequestLimit : Self.requestLimit
        for number in episodes.map(\.number).filter(newNumbers.contains).prefix(limit) {
            if let index = episodes.firstIndex(where: { $0.number == number }) { episodes[index].file = .requested }
        }
        return newNumbers.count
    }

    /// The order of episodes: by date, and those without dates or with the same date by their numbers.
    private static func isNewer(_ first: Episode, _ second: Episode) -> Bool {
        let dates = (first.published ?? .distantPast, second.published ?? .distantPast)
        return dates.0 == dates.1 ? first.number > second.number : dates.0 > dates.1
    }
}
