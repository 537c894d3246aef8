import Foundation
import SwiftPlayBackground

/// The background transfers of episodes. They go on when the program has exited or was killed.
@MainActor
final class EpisodeDownloads: BackgroundURLSessionDelegate {
    /// An event of a transfer.
    enum Event: Sendable {
        case progress(number: Int, received: Int64, expected: Int64)
        /// The file is in the media folder, and the library says so.
        case downloaded(number: Int)
        case failed(number: Int, reason: String)
    }

    private let file: LibraryFile
    private let folder: MediaFolder
    /// Called with each event, in order.
    var onEvent: @MainActor (Event) -> Void = { _ in }
    /// The session; nil before ``open()``.
    private var session: BackgroundURLSession?
    /// Receives a value when the delegate has received all events of the session. It keeps one value for a later wait.
    private let eventEnds = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    /// The last comparison, also after its end.
    private var comparison: Task<[Int], any Error>?
    /// How often and at what interval the session is created while another process of the program has it.
    private static let attempts = 30, attemptInterval = Duration.milliseconds(500)

    nonisolated init(file: LibraryFile, folder: MediaFolder) { (self.file, self.folder) = (file, folder) }

    /// Returns the session, which is created at the first call.
    private func open() -> BackgroundURLSession {
        // A session that was refused has no delegate any more.
        if let session, session.delegate != nil { return session }
        var configuration = BackgroundURLSessionConfiguration.background(withIdentifier: "episodes")
        // Many podcasts have no encrypted addresses.
        configuration.allowsInsecureHTTPLoads = true
        let newSession = BackgroundURLSession(configuration: configuration, delegate: self)
        session = newSession
        return newSession
    }

    /// Compares the library with files and transfers, makes up for what is missing, and starts the transfers of
    /// requested episodes. Before that, the delegate handles the events that have arrived; further ones may follow.
    ///
    /// - Returns: The numbers of the episodes that are being downloaded.
    /// - Throws: ``PodcastsError`` if another process of the program has the transfers: it compares, too.
    @discardableResult
    func reconcile() async throws -> [Int] {
        // Two comparisons at a time would both find that a transfer is missing.
        let earlier = comparison
        let task = Task {
            _ = try? await earlier?.value
            return try await reconcileNow()
        }
        comparison = task
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Returns when the delegate has received all events of the session, or the caller was cancelled.
    func waitForEvents() async {
        var iterator = eventEnds.stream.makeAsyncIterator()
        _ = await iterator.next()
    }

    private func reconcileNow() async throws -> [Int] {
        for _ in 0..<Self.attempts {
            let session = open(), tasks = await session.allTasks
            if session.delegate != nil { return try await reconcile(tasks, of: session) }
            // A process that the service has started ends soon.
            try await Task.sleep(for: Self.attemptInterval)
        }
        throw PodcastsError("another process of podcasts has the downloads; try again when it has ended")
    }

    private func reconcile(_ tasks: [BackgroundSessionTask], of session: BackgroundURLSession) async throws -> [Int] {
        // The delegate handles the events that have arrived before this block. The service sends at most 64 at a time;
        // the transfers of further events are listed as completed.
        await withCheckedContinuation { continuation in session.delegateQueue.async { continuation.resume() } }
        let openTasks = tasks.filter { $0.state != .canceling }
        let transfers = openTasks.map {
            Reconciliation.Transfer(
                description: $0.taskDescription, isSuspended: $0.state == .suspended, hasEnded: $0.state == .completed)
        }
        let endingTransfers = tasks.filter { $0.state == .canceling || $0.state == .completed }.map(\.taskIdentifier)
        let reconciliation = try file.change { library in
            let reconciliation = Reconciliation(library, files: try folder.names, transfers: transfers)
            library = reconciliation.library
            // Before the transfers are cancelled: a later run of the program may receive their ends.
            library.recordCancellation(
                ofTransfers: reconciliation.cancelledTransfers.map { openTasks[$0].taskIdentifier },
                endingTransfers: endingTransfers)
            return reconciliation
        }
        for name in reconciliation.removedFiles { folder.remove(name) }
        for place in reconciliation.cancelledTransfers { openTasks[place].cancel() }
        let newTasks = reconciliation.startedEpisodes.map { episode in
            // `swiftplay transfers` shows the description.
            session.downloadTask(
                with: episode.media, description: "\(reconciliation.library.key(episode.number)) \(episode.title)")
        }
        // Its answer says that the service has stored the new transfers, and then that it has started them. From then
        // on the program may exit or be killed.
        if !newTasks.isEmpty { _ = await session.allTasks }
        for task in newTasks + reconciliation.resumedTransfers.map({ openTasks[$0] }) { task.resume() }
        _ = await session.allTasks
        return reconciliation.library.episodes.filter { $0.file == .requested }.map(\.number)
    }

    // MARK: BackgroundURLSessionDelegate

    nonisolated func urlSession(
        _ session: BackgroundURLSession, downloadTask: BackgroundDownloadTask, didFinishDownloadingTo location: URL
    ) {
        // A page about an error is removed when this method returns.
        guard Self.hasSucceeded(downloadTask), let key = LibraryKey(description: downloadTask.taskDescription) else {
            return
        }
        do {
            guard let episode = try file.read().episode(key) else { return }
            let name = "\(key).\(episode.fileSuffix)"
            try folder.take(location, as: name)
            // If the program is killed here, the next start finds the file.
            try file.change { $0.recordDownload(name, of: key) }
        } catch { fail(key, "\(error)") }
    }

    nonisolated func urlSession(
        _ session: BackgroundURLSession, task: BackgroundSessionTask, didCompleteWithError error: BackgroundURLError?
    ) {
        guard let key = LibraryKey(description: task.taskDescription), let library = try? file.read(),
            let episode = library.episode(key)
        else { return }
        if let error, error.isCancelled {
            // The user has cancelled the transfer. That is stored when this method returns, which acknowledges the end:
            // otherwise, the next comparison would find that a transfer is missing.
            let isByUser = !library.hasCancelled(transfer: task.taskIdentifier)
            if isByUser, episode.file == .requested { fail(key, "cancelled") }
        } else if let error {
            fail(key, error.description)
        } else if !Self.hasSucceeded(task) {
            fail(key, "the server answers with status \(task.response?.statusCode ?? 0)")
        } else if case .failed(let reason) = episode.file {
            send(.failed(number: key.number, reason: reason))
        } else {
            recordMovedFile(of: episode, key)
        }
    }

    nonisolated func urlSession(
        _ session: BackgroundURLSession, downloadTask: BackgroundDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        guard let key = LibraryKey(description: downloadTask.taskDescription) else { return }
        send(.progress(number: key.number, received: totalBytesWritten, expected: totalBytesExpectedToWrite))
    }

    nonisolated func urlSessionDidFinishEvents(forBackgroundURLSession session: BackgroundURLSession) {
        eventEnds.continuation.yield()
    }

    // MARK: Events

    private nonisolated static func hasSucceeded(_ task: BackgroundSessionTask) -> Bool {
        (200..<300).contains(task.response?.statusCode ?? 0)
    }

    /// Records a file that an earlier run of the program has moved to the media folder before it was killed.
    private nonisolated func recordMovedFile(of episode: Episode, _ key: LibraryKey) {
        let name = "\(key).\(episode.fileSuffix)"
        guard (try? folder.names)?.contains(name) == true else { return fail(key, "the file is missing") }
        do { try file.change { $0.recordDownload(name, of: key) } } catch { return fail(key, "\(error)") }
        send(.downloaded(number: key.number))
    }

    private nonisolated func fail(_ key: LibraryKey, _ reason: String) {
        try? file.change { $0.recordFailure(reason, ofDownload: key) }
        send(.failed(number: key.number, reason: reason))
    }

    private nonisolated func send(_ event: Event) {
        // Unlike tasks of the main actor, the main queue keeps the order.
        DispatchQueue.main.async { MainActor.assumeIsolated { self.onEvent(event) } }
    }
}
