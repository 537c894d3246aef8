import Foundation
import SwiftPlayBackground

/// The commands for downloads, and the run in the background.
extension PodcastsProgram {
    /// Downloads episodes and shows the progress. The downloads go on if the program ends before.
    func download(_ numbers: [Int]) async throws {
        work.register()
        let requested = try file.change { library in
            for number in numbers {
                guard let episode = library.episode(number) else {
                    throw PodcastsError("there is no episode \(number); `podcasts episodes` lists the numbers")
                }
                if episode.fileName == nil { library.changeEpisode(number) { $0.file = .requested } }
            }
            return library.episodes.filter { $0.file == .requested }.map(\.number)
        }
        let (events, continuation) = AsyncStream<EpisodeDownloads.Event>.makeStream()
        downloads.onEvent = { continuation.yield($0) }
        var report = DownloadReport(waiting: try await downloads.reconcile())
        printLines(report.handleEnds(of: requested, in: try file.read()))
        var iterator = events.makeAsyncIterator()
        while !report.waiting.isEmpty, let event = await iterator.next() { printLines(report.handle(event)) }
        let failureCount = report.failureCount
        if failureCount > 0 { throw PodcastsError("\(EpisodeTable.count(failureCount, "download")) failed") }
    }

    /// Handles the fetch, the notification or the events for which the service has started the program.
    func runInBackground() async throws {
        guard BackgroundApplication.shared.isBackgroundStart else {
            throw PodcastsError("only the service for background work starts the program with `background`")
        }
        let (idleTimes, continuation) = AsyncStream<Void>.makeStream()
        work.onIdle = { continuation.yield() }
        work.register()
        work.begin()
        for await _ in idleTimes {
            // The compositor takes the new picture, and a further wake may follow.
            try? await Task.sleep(for: .seconds(2))
            if work.isIdle { return }
        }
    }
}
