import Foundation
import SwiftPlay
import SwiftPlayBackground

/// Handles the reasons for which the service for background work starts or wakes the program: fetches, notifications,
/// and events of transfers.
@MainActor
final class BackgroundWork: BackgroundApplicationDelegate {
    /// The name of the program for the services and in the overview.
    static let identifier = "org.example.podcasts"
    /// The shortest time between two fetches, in seconds.
    private static let fetchInterval = 3600.0

    private let file: LibraryFile
    private let refresher: Refresher
    private let downloads: EpisodeDownloads
    private let picture: ProgramPicture
    /// The works that have not ended.
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var nextTask = 0
    /// Called when a work has ended and no other is left.
    var onIdle: @MainActor () -> Void = {}

    init(file: LibraryFile, refresher: Refresher, downloads: EpisodeDownloads, picture: ProgramPicture) {
        (self.file, self.refresher, self.downloads, self.picture) = (file, refresher, downloads, picture)
    }

    /// Declares to the service for which reasons the program is woken, and how it is started.
    func register() {
        let application = BackgroundApplication.shared
        application.completedWorkHandler = { Application.shared.setNeedsSnapshot() }
        application.configure(
            identifier: Self.identifier, launchArguments: ["--library", file.folder, "background"],
            modes: [.fetch, .remoteNotification], delegate: self)
        application.setMinimumBackgroundFetchInterval(Self.fetchInterval)
    }

    /// Compares library, files and transfers. When that has ended, the program is connected to the service and has
    /// received the fetch, the notification or the events for which the service has started it.
    func begin() {
        start { _ = try? await $0.downloads.reconcile() }
    }

    /// Whether no work is left.
    var isIdle: Bool { tasks.isEmpty }

    // MARK: BackgroundApplicationDelegate

    func application(performFetchWithCompletionHandler completionHandler: @escaping FetchCompletionHandler) {
        start { await $0.refresh("fetch", only: nil, completionHandler) }
    }

    func application(
        didReceiveRemoteNotification notification: RemoteNotification,
        fetchCompletionHandler completionHandler: @escaping FetchCompletionHandler
    ) {
        // A notification names a feed to which the user has subscribed, or means all feeds. It adds no feed.
        let payload = try? notification.decoded(as: Payload.self)
        start { await $0.refresh("notification", only: payload?.feed.flatMap(URL.init(string:)), completionHandler) }
    }

    func application(
        handleEventsForBackgroundURLSession identifier: String, completionHandler: @escaping @Sendable () -> Void
    ) {
        start { work in
            // If the comparison fails, another process of the program may have the session, and receives the events.
            if await work.reconcile() { await work.downloads.waitForEvents() }
            work.record("transfers: \(work.downloadSummary())")
            await work.showNewest()
            completionHandler()
        }
    }

    func applicationBackgroundTimeWillExpire() {
        for task in tasks.values { task.cancel() }
    }

    // MARK: Work

    private struct Payload: Decodable {
        let feed: String?
    }

    private func downloadSummary() -> String {
        let count = (try? file.read())?.episodes.count { $0.fileName != nil } ?? 0
        return "\(EpisodeTable.count(count, "episode")) on the disk"
    }

    /// Refreshes feeds, requests the files of new episodes, and reports the result.
    private func refresh(_ name: String, only address: URL?, _ completionHandler: FetchCompletionHandler) async {
        do {
            let summary = try await refresher.refresh(only: address)
            // Even if the time of the fetch has ended: the downloads of episodes that were found begin.
            await reconcile()
            record("\(name): \(summary.text)")
            if summary.newCount > 0 { await showNewest() }
            let hasFailed = !summary.failures.isEmpty && summary.newCounts.isEmpty && summary.unchangedCount == 0
            completionHandler(summary.newCount > 0 ? .newData : hasFailed ? .failed : .noData)
        } catch {
            record("\(name): \(error)")
            completionHandler(.failed)
        }
    }

    /// Starts the transfers of requested episodes. If that fails, the next start of the program does it.
    ///
    /// - Returns: Whether it has not failed.
    @discardableResult
    private func reconcile() async -> Bool {
        do {
            try await downloads.reconcile()
            return true
        } catch {
            record("downloads: \(error)")
            return false
        }
    }

    /// Renews the picture, which is taken when the completion handler was called. A program that the user has opened
    /// keeps the picture of the episode that plays.
    private func showNewest() async {
        guard BackgroundApplication.shared.isBackgroundStart else { return }
        if let library = try? file.read() { await picture.showNewest(of: library) }
    }

    private func record(_ text: String) {
        try? file.change { $0.record(Library.Activity(date: Date(), text: text)) }
    }

    /// Starts a work that ``applicationBackgroundTimeWillExpire()`` cancels.
    private func start(_ body: @escaping @MainActor (BackgroundWork) async -> Void) {
        let number = nextTask
        nextTask += 1
        tasks[number] = Task {
            await body(self)
            tasks[number] = nil
            if isIdle { onIdle() }
        }
    }
}
