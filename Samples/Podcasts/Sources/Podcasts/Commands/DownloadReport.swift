/// What `podcasts download` waits for and prints: a value.
struct DownloadReport {
    /// The numbers of the episodes whose downloads have not ended.
    private(set) var waiting: Set<Int>
    /// The number of downloads that have failed.
    private(set) var failureCount = 0
    /// The last printed percentages, by the numbers of the episodes.
    private var percentages: [Int: Int64] = [:]

    /// Creates the report of episodes that are being downloaded.
    init(waiting: [Int]) { self.waiting = Set(waiting) }

    /// Handles the ends of downloads that are in the library already. Another process of the program may have received
    /// their events.
    ///
    /// - Parameter requested: The numbers of the episodes that were requested before.
    /// - Returns: The lines to print.
    mutating func handleEnds(of requested: [Int], in library: Library) -> [String] {
        var lines: [String] = []
        for number in requested {
            guard let file = library.episode(number)?.file else { continue }
            switch file {
            case .none, .requested: break
            case .downloaded:
                waiting.insert(number)
                lines += handle(.downloaded(number: number))
            case .failed(let reason):
                waiting.insert(number)
                lines += handle(.failed(number: number, reason: reason))
            }
        }
        return lines
    }

    /// Handles an event of a download. The end of a download is printed once.
    ///
    /// - Returns: The lines to print.
    mutating func handle(_ event: EpisodeDownloads.Event) -> [String] {
        switch event {
        case .progress(let number, let received, let expected):
            // The line changes at each tenth of the file.
            let percentage = expected > 0 ? received / max(1, expected / 10) * 10 : 0
            guard percentages.updateValue(percentage, forKey: number) != percentage, percentage < 100 else { return [] }
            return ["\(number)  \(percentage) %"]
        case .downloaded(let number):
            return waiting.remove(number) == nil ? [] : ["\(number)  downloaded"]
        case .failed(let number, let reason):
            guard waiting.remove(number) != nil else { return [] }
            failureCount += 1
            return ["\(number)  failed: \(reason)"]
        }
    }
}
