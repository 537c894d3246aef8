import Foundation

/// The texts that the program prints about feeds and episodes.
enum EpisodeTable {
    /// Returns a time such as `1:02:03` or `2:03`.
    static func time(_ seconds: Double) -> String {
        let total = seconds.isFinite ? Int(max(0, min(seconds, 1e9))) : 0
        let text = String(format: "%02d", total % 60)
        return total < 3600
            ? "\(total / 60):\(text)" : "\(total / 3600):\(String(format: "%02d", total / 60 % 60)):\(text)"
    }

    /// Returns a number of things, such as `1 feed` or `2 feeds`.
    static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// Returns the list of feeds.
    static func feeds(_ library: Library) -> [String] {
        guard !library.feeds.isEmpty else { return ["no feeds; add one with `podcasts subscribe URL`"] }
        return library.feeds.enumerated().flatMap { index, feed in
            let unplayed = feed.episodes.count { !$0.isPlayed }
            let line = "\(index + 1)  \(feed.name): \(count(feed.episodes.count, "episode")), \(unplayed) not played"
            return [line] + (feed.failure.map { ["   the last refresh has failed: \($0)"] } ?? [])
        }
    }

    /// Returns the list of a feed's episodes.
    static func episodes(_ feed: Feed) -> [String] { feed.episodes.map(line) }

    /// Returns the line of an episode.
    static func line(_ episode: Episode) -> String {
        let date = episode.published?.formatted(.iso8601.year().month().day()) ?? "no date   "
        var parts = ["\(episode.number)  \(date)  \(episode.title)"]
        if let duration = episode.duration { parts.append("(\(time(Double(duration))))") }
        if let state = state(episode) { parts.append(state) }
        return parts.joined(separator: "  ")
    }

    private static func state(_ episode: Episode) -> String? {
        var states: [String] = []
        switch episode.file {
        case .none: break
        case .requested: states.append("is being downloaded")
        case .downloaded: states.append("on the disk")
        case .failed(let reason): states.append("the download has failed: \(reason)")
        }
        if episode.isPlayed {
            states.append("played")
        } else if episode.position >= 1 {
            states.append("left at \(time(episode.position))")
        }
        return states.isEmpty ? nil : "[\(states.joined(separator: ", "))]"
    }

    /// Returns what happens in the background.
    static func status(_ library: Library, folder: String) -> [String] {
        let requested = library.episodes.filter { $0.file == .requested }
        let ready = library.episodes.count { $0.fileName != nil }
        var lines = ["\(folder): \(count(library.feeds.count, "feed")), \(count(ready, "episode")) on the disk"]
        lines += requested.map { "downloading \($0.number)  \($0.title)" }
        if let next = library.nextEpisode { lines.append("next: \(line(next))") }
        lines += library.activities.map { "\($0.date.formatted(.iso8601))  \($0.text)" }
        return lines
    }
}
