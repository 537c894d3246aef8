import Dispatch
import FoundationEssentials
import Glibc
import SwiftPlayBackground
import SystemCalls

// A program with a background session for tests.
//
// usage: BackgroundProbe LOG FOLDER [crash-at=N | crash-always | store-only | streams | discretionary] [URL...]
//
// Downloads the addresses, moves each file to FOLDER under the number of its transfer, and appends a line for each
// event to LOG. With crash-at=N, the program is killed in the Nth call of `didFinishDownloadingTo`, before it has moved
// the file. The service starts the program again with LOG and FOLDER. The program exits when all events were delivered.
// With crash-always, every start of the program is killed in the first call. With store-only, the program creates the
// transfers, does not resume them, and exits when they are stored. Every start resumes the transfers of earlier starts.
// With streams, the addresses are streams that are downloaded as packages to FOLDER. With discretionary, the service
// chooses a good time for the transfers.
//
// usage: BackgroundProbe LOG wakes NAME BEHAVIOUR
//
// Handles fetches and notifications as WakeProbe.swift describes.

/// Appends a line to the log in one write, so that lines of several processes do not mix.
func report(_ path: String, _ line: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    let bytes = Array((line + "\n").utf8)
    _ = write(descriptor, bytes, bytes.count)
    close(descriptor)
}

/// Resumes the transfers that an earlier start of the program has created and not resumed.
func resumeStoredTransfers(_ session: BackgroundURLSession) {
    Task { for task in await session.allTasks where task.state == .suspended { task.resume() } }
}

final class ProbeDelegate: AssetDownloadDelegate, BackgroundApplicationDelegate {
    private let log: String, folder: String
    private let crashAt: Int?
    private let isDiscretionary: Bool
    private let finishedCount = Monitor(0)
    private let session = Monitor<BackgroundURLSession?>(nil)
    private let handler = Monitor<[@Sendable () -> Void]>([])

    nonisolated init(log: String, folder: String, crashAt: Int?, isDiscretionary: Bool) {
        (self.log, self.folder, self.crashAt, self.isDiscretionary) = (log, folder, crashAt, isDiscretionary)
    }

    nonisolated func makeSession() -> BackgroundURLSession {
        var configuration = BackgroundURLSessionConfiguration.background(withIdentifier: "probe")
        configuration.isDiscretionary = isDiscretionary
        configuration.allowsInsecureHTTPLoads = true
        let newSession = BackgroundURLSession(configuration: configuration, delegate: self)
        session.withLock { $0 = newSession }
        return newSession
    }

    nonisolated func makeStreamSession() -> AssetDownloadURLSession {
        var configuration = BackgroundURLSessionConfiguration.background(withIdentifier: "streams")
        configuration.allowsInsecureHTTPLoads = true
        let newSession = AssetDownloadURLSession(configuration: configuration, assetDownloadDelegate: self)
        session.withLock { $0 = newSession }
        return newSession
    }

    func application(
        handleEventsForBackgroundURLSession identifier: String, completionHandler: @escaping @Sendable () -> Void
    ) {
        report(log, "handle-events \(identifier)")
        handler.withLock { $0.append(completionHandler) }
        resumeStoredTransfers(identifier == "streams" ? makeStreamSession() : makeSession())
    }

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
        _ session: BackgroundURLSession, downloadTask: BackgroundDownloadTask, didFinishDownloadingTo location: URL
    ) {
        let count = finishedCount.withLock { count in
            count += 1
            return count
        }
        if count == crashAt {
            report(log, "crash \(downloadTask.taskIdentifier)")
            kill(getpid(), SIGKILL)
        }
        let result = rename(location.path, "\(folder)/\(downloadTask.taskIdentifier)")
        report(log, "finished \(downloadTask.taskIdentifier) \(downloadTask.taskDescription) \(result)")
    }

    nonisolated func urlSession(
        _ session: BackgroundURLSession, downloadTask: BackgroundDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) { report(log, "resumed \(downloadTask.taskIdentifier) \(fileOffset)") }

    nonisolated func urlSession(
        _ session: BackgroundURLSession, task: BackgroundSessionTask, didCompleteWithError error: BackgroundURLError?
    ) { report(log, "completed \(task.taskIdentifier) \(error?.code ?? 0) \(task.response?.statusCode ?? 0)") }

    nonisolated func urlSession(
        _ session: BackgroundURLSession, task: BackgroundSessionTask,
        didReceive challenge: BackgroundAuthenticationChallenge
    ) {
        report(log, "challenge \(task.taskIdentifier)")
        challenge.use(user: "user", password: "password")
    }

    nonisolated func urlSessionDidFinishEvents(forBackgroundURLSession session: BackgroundURLSession) {
        report(log, "finished-events")
        for handler in handler.withLock({ $0 }) { handler() }
        exit(0)
    }
}

var arguments = CommandLine.arguments.dropFirst()
if arguments.dropFirst().first == "wakes" { runWakeProbe(Array(arguments)) }
guard let log = arguments.popFirst(), let folder = arguments.popFirst() else {
    fatalError(
        "usage: BackgroundProbe LOG FOLDER [crash-at=N | crash-always | store-only | streams | discretionary] [URL...]")
}
let storesOnly = arguments.first == "store-only"
if storesOnly { arguments = arguments.dropFirst() }
let crashesAlways = arguments.first == "crash-always"
let crashText = crashesAlways ? "1" : arguments.first.flatMap { $0.hasPrefix("crash-at=") ? $0.dropFirst(9) : nil }
let downloadsStreams = arguments.first == "streams", isDiscretionary = arguments.first == "discretionary"
if crashText != nil || downloadsStreams || isDiscretionary { arguments = arguments.dropFirst() }
let delegate = ProbeDelegate(
    log: log, folder: folder, crashAt: crashText.flatMap { Int($0) }, isDiscretionary: isDiscretionary)
report(log, "start \(BackgroundApplication.shared.isBackgroundStart ? "background" : "user")")
BackgroundApplication.shared.configure(
    identifier: "org.swiftplay.probe", launchArguments: [log, folder] + (crashesAlways ? ["crash-always"] : []),
    delegate: delegate)
if !BackgroundApplication.shared.isBackgroundStart, downloadsStreams {
    let session = delegate.makeStreamSession()
    resumeStoredTransfers(session)
    for (index, text) in arguments.enumerated() {
        guard let url = URL(string: text) else { fatalError("\(text) is not an address") }
        var configuration = AssetDownloadConfiguration(url: url, title: "Film \(index)")
        configuration.destinationDirectory = URL(filePath: folder)
        session.makeAssetDownloadTask(downloadConfiguration: configuration, description: "film\(index)").resume()
    }
} else if !BackgroundApplication.shared.isBackgroundStart {
    let session = delegate.makeSession()
    if !storesOnly { resumeStoredTransfers(session) }
    let tasks = arguments.enumerated().map { index, text in
        guard let url = URL(string: text) else { fatalError("\(text) is not an address") }
        return session.downloadTask(with: url, description: "file\(index)")
    }
    if storesOnly {
        Task {
            report(log, "stored \(await session.allTasks.count)\(session.delegate == nil ? " refused" : "")")
            exit(0)
        }
    } else {
        for task in tasks { task.resume() }
    }
}
dispatchMain()
