import Dispatch
import FoundationEssentials
import Glibc
import SwiftPlayBackground
import SystemCalls

/// Resumes the transfers that an earlier start of the program has created and not resumed.
func resumeStoredTransfers(_ session: BackgroundURLSession) {
    Task { for task in await session.allTasks where task.state == .suspended { task.resume() } }
}

/// The delegate of a probe with sessions.
final class ProbeDelegate: AssetDownloadDelegate, BackgroundApplicationDelegate {
    private let log: String, folder: String
    private let options: ProbeOptions
    private let state = Monitor(State())
    /// Counts the received SIGUSR1.
    private let permissions = DispatchSemaphore(value: 0)

    private struct State {
        var finishedCount = 0
        /// The created sessions whose events have not ended.
        var sessions: [String: BackgroundURLSession] = [:]
        var handlers: [String: @Sendable () -> Void] = [:]
    }

    nonisolated init(log: String, folder: String, options: ProbeOptions) {
        (self.log, self.folder, self.options) = (log, folder, options)
    }

    /// Creates a session for files, or for packages if its identifier is `streams`.
    @discardableResult
    nonisolated func makeSession(_ identifier: String) -> BackgroundURLSession {
        var configuration = BackgroundURLSessionConfiguration.background(withIdentifier: identifier)
        configuration.isDiscretionary = options.isDiscretionary
        configuration.allowsInsecureHTTPLoads = true
        let session =
            identifier == "streams"
            ? AssetDownloadURLSession(configuration: configuration, assetDownloadDelegate: self)
            : BackgroundURLSession(configuration: configuration, delegate: self)
        state.withLock { $0.sessions[identifier] = session }
        return session
    }

    /// Creates the sessions of a start by the user with their transfers, which are resumed unless they are only stored.
    nonisolated func makeTransfers() {
        for (position, identifier) in options.sessions.enumerated() {
            let session = makeSession(identifier)
            if options.cancelsSessions { return session.invalidateAndCancel() }
            if !options.storesOnly { resumeStoredTransfers(session) }
            var tasks = options.addresses.enumerated()
                .filter { $0.offset % options.sessions.count == position }
                .map { makeTransfer($0.element, $0.offset, session) }
            if let data = options.continuePath.flatMap({ try? Data(contentsOf: URL(filePath: $0)) }) {
                tasks.append(session.downloadTask(withResumeData: data))
            }
            if options.storesOnly {
                Task {
                    report(log, "stored \(await session.allTasks.count)\(session.delegate == nil ? " refused" : "")")
                    exit(0)
                }
            } else {
                for task in tasks { task.resume() }
            }
            if options.finishesSessions { session.finishTasksAndInvalidate() }
        }
    }

    /// Creates a download of a file or a stream.
    private nonisolated func makeTransfer(
        _ address: String, _ index: Int, _ session: BackgroundURLSession
    ) -> BackgroundSessionTask {
        guard let url = URL(string: address) else { fatalError("\(address) is not an address") }
        guard let streams = session as? AssetDownloadURLSession else {
            var request = BackgroundURLRequest(url: url)
            let digits = (options.digest ?? "").compactMap(\.hexDigitValue)
            let digest = stride(from: 1, to: digits.count, by: 2).map { UInt8(digits[$0 - 1] << 4 | digits[$0]) }
            request.expectedSHA256 = digest.isEmpty ? nil : Data(digest)
            return session.downloadTask(with: request, description: "file\(index)")
        }
        var configuration = AssetDownloadConfiguration(url: url, title: "Film \(index)")
        configuration.destinationDirectory = URL(filePath: folder)
        return streams.makeAssetDownloadTask(downloadConfiguration: configuration, description: "film\(index)")
    }

    /// Lets a waiting call of `didFinishDownloadingTo` return.
    nonisolated func permit() { permissions.signal() }

    /// The identifiers of the sessions that the log does not name.
    private nonisolated static let mainSessions: Set<String> = ["probe", "streams"]

    /// Returns the number of a transfer, which is unique among the sessions.
    private nonisolated func number(_ task: BackgroundSessionTask, _ session: BackgroundURLSession) -> String {
        let identifier = session.configuration.identifier
        return Self.mainSessions.contains(identifier)
            ? "\(task.taskIdentifier)" : "\(identifier)-\(task.taskIdentifier)"
    }

    func application(
        handleEventsForBackgroundURLSession identifier: String, completionHandler: @escaping @Sendable () -> Void
    ) {
        report(log, "handle-events \(identifier)")
        state.withLock { $0.handlers[identifier] = completionHandler }
        resumeStoredTransfers(makeSession(identifier))
    }

    func applicationBackgroundTimeWillExpire() { report(log, "expires") }

    nonisolated func urlSession(
        _ session: BackgroundURLSession, assetDownloadTask: AssetDownloadTask, willDownloadTo location: URL
    ) { report(log, "will-download \(location.path)") }

    nonisolated func urlSession(
        _ session: BackgroundURLSession, assetDownloadTask: AssetDownloadTask, didLoad timeRange: Range<Duration>,
        totalTimeRangesLoaded: [Range<Duration>], timeRangeExpectedToLoad: Range<Duration>
    ) {
        let total = timeRangeExpectedToLoad.upperBound
        report(log, "loaded \(timeRange.upperBound.components.seconds) of \(total.components.seconds)")
    }

    nonisolated func urlSession(
        _ session: BackgroundURLSession, assetDownloadTask: AssetDownloadTask, didFinishDownloadingTo location: URL
    ) { report(log, "package \(assetDownloadTask.taskDescription) \(location.path)") }

    nonisolated func urlSession(
        _ session: BackgroundURLSession, downloadTask: BackgroundDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        if let path = options.setAsidePath { return setAside(downloadTask, path) }
        guard options.leavesFiles else { return }
        report(log, "progress \(totalBytesWritten) of \(totalBytesExpectedToWrite)")
    }

    nonisolated func urlSession(
        _ session: BackgroundURLSession, downloadTask: BackgroundDownloadTask, didFinishDownloadingTo location: URL
    ) {
        let number = number(downloadTask, session), description = downloadTask.taskDescription
        disturbIfNeeded(number)
        if options.waits {
            report(log, "waits \(number)")
            permissions.wait()
        }
        if options.lists, state.withLock({ $0.finishedCount }) == 1 { report(log, "listed \(taskCount(session))") }
        if options.leavesFiles {
            let content = try? Data(contentsOf: URL(filePath: location.path))
            return report(log, "finished \(number) \(description) \(content?.count ?? -1) bytes at \(location.path)")
        }
        let result = rename(location.path, "\(folder)/\(number)")
        report(log, "finished \(number) \(description) \(result)")
        guard BackgroundApplication.shared.isBackgroundStart, let url = options.nextAddress.flatMap({ URL(string: $0) })
        else { return }
        for _ in 0..<options.nextCount { session.downloadTask(with: url, description: "next-\(number)").resume() }
    }

    /// Cancels a download, and writes its resume data to a file. Further calls receive no data.
    private nonisolated func setAside(_ task: BackgroundDownloadTask, _ path: String) {
        task.cancel(byProducingResumeData: { [log] data in
            report(log, "resume-data \(data != nil)")
            if let data { try? data.write(to: URL(filePath: path)) }
        })
    }

    /// Returns the number of transfers that a session knows.
    private nonisolated func taskCount(_ session: BackgroundURLSession) -> Int {
        let count = Monitor<Int?>(nil)
        Task {
            let newCount = await session.allTasks.count
            count.update { $0 = newCount }
        }
        return count.wait(until: MonotonicTime.now + 20 * MonotonicTime.nanosecondsPerSecond) { $0 } ?? -1
    }

    /// Kills the program, or never returns, in the call of `didFinishDownloadingTo` that the options name.
    private nonisolated func disturbIfNeeded(_ number: String) {
        let count = state.withLock { state in
            state.finishedCount += 1
            return state.finishedCount
        }
        let isInBackground = BackgroundApplication.shared.isBackgroundStart
        if count == options.backgroundHangAt, isInBackground {
            report(log, "hangs")
            while true { pause() }
        }
        var isCrash = count == options.crashAt
        if count == options.backgroundCrashAt, isInBackground {
            let text = (try? String(contentsOf: URL(filePath: log), encoding: .utf8)) ?? ""
            isCrash = isCrash || !text.contains("\ncrash ")
        }
        guard isCrash else { return }
        report(log, "crash \(number)")
        kill(getpid(), SIGKILL)
    }

    nonisolated func urlSession(
        _ session: BackgroundURLSession, downloadTask: BackgroundDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) { report(log, "resumed \(number(downloadTask, session)) \(fileOffset)") }

    nonisolated func urlSession(
        _ session: BackgroundURLSession, task: BackgroundSessionTask, didCompleteWithError error: BackgroundURLError?
    ) {
        report(log, "completed \(number(task, session)) \(error?.code ?? 0) \(task.response?.statusCode ?? 0)")
        if error != nil, options.setAsidePath ?? options.continuePath != nil { exit(0) }
    }

    nonisolated func urlSession(
        _ session: BackgroundURLSession, task: BackgroundSessionTask,
        didReceive challenge: BackgroundAuthenticationChallenge
    ) {
        report(log, "challenge \(task.taskIdentifier)")
        challenge.use(user: "user", password: "password")
    }

    nonisolated func urlSession(_ session: BackgroundURLSession, didBecomeInvalidWithError error: BackgroundURLError?) {
        if let error { report(log, "invalid \(error.code)") }
        guard options.finishesSessions || options.cancelsSessions else { return }
        report(log, "invalid")
        exit(0)
    }

    nonisolated func urlSessionDidFinishEvents(forBackgroundURLSession session: BackgroundURLSession) {
        let identifier = session.configuration.identifier
        if options.lists { report(log, "listed \(taskCount(session)) at last") }
        report(log, Self.mainSessions.contains(identifier) ? "finished-events" : "finished-events \(identifier)")
        // The main thread calls `handleEventsForBackgroundURLSession` for all sessions with events first.
        Task { @MainActor in
            let (handler, isLast) = state.withLock { state in
                state.sessions[identifier] = nil
                return (state.handlers.removeValue(forKey: identifier), state.sessions.isEmpty)
            }
            handler?()
            // A session that ends with its transfers reports that.
            if isLast, !options.finishesSessions, !options.cancelsSessions { exit(0) }
        }
    }
}
