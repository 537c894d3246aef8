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
        var waiting = Set(try await downloads.reconcile()), percentages: [Int: Int64] = [:], failures = 0
        // The event of a download that has failed during the comparison follows.
        let library = try file.read()
        waiting.formUnion(requested.filter { if case .failed = library.episode($0)?.file { true } else { false } })
        var iterator = events.makeAsyncIterator()
        while !waiting.isEmpty, let event = await iterator.next() {
            switch event {
            case .progress(let number, let received, let expected):
                // The line changes at each tenth of the file.
                let percentage = expected > 0 ? received / max(1, expected / 10) * 10 : 0
                guard percentages.updateValue(percentage, forKey: number) != percentage, percentage < 100 else { break }
                printLines(["\(number)  \(percentage) %"])
            case .downloaded(let number):
                waiting.remove(number)
                printLines(["\(number)  downloaded"])
            case .failed(let number, let reason):
                waiting.remove(number)
                failures += 1
                printLines(["\(number)  failed: \(reason)"])
            }
        }
        if failures > 0 { throw PodcastsError("\(EpisodeTable.count(failures, "download")) failed") }
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
