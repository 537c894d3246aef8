import FoundationEssentials
import SwiftPlay
import SwiftPlayBackground

/// The commands about work in the background, after which the program renews its picture in the overview.
@MainActor
final class BackgroundCommands: BackgroundApplicationDelegate, BackgroundURLSessionDelegate {
    private let snapshotCommands: SnapshotCommands
    /// The file and the time that the next work shows before it is complete.
    private var picture = (file: "", seconds: 0.0)
    private var session: BackgroundURLSession?
    /// The completion handler of the events of transfers.
    private var eventsHandler: (@Sendable () -> Void)?

    init(_ snapshotCommands: SnapshotCommands) { self.snapshotCommands = snapshotCommands }

    /// Performs a command; returns false if the verb is unknown.
    func perform(_ verb: String, _ arguments: [String]) -> Bool {
        switch verb {
        // configure IDENTIFIER: registers the program, which has left the foreground.
        case "configure": configure(arguments.first ?? "")
        // work FILE SECONDS: chooses what the next fetch, notification or events of transfers show.
        case "work": picture = (arguments.first ?? "", arguments.last.flatMap { Double($0) } ?? 0)
        // transfer URL: downloads a file, which is removed.
        case "transfer":
            guard let url = arguments.first.flatMap({ URL(string: $0) }) else { return false }
            makeSession().downloadTask(with: url).resume()
        default: return false
        }
        return true
    }

    private func configure(_ identifier: String) {
        let application = BackgroundApplication.shared
        application.completedWorkHandler = { Application.shared.setNeedsSnapshot() }
        application.configure(
            identifier: identifier, launchArguments: Array(CommandLine.arguments.dropFirst()),
            modes: [.fetch, .remoteNotification], delegate: self)
        application.setMinimumBackgroundFetchInterval(3600)
        application.isInForeground = false
    }

    private func makeSession() -> BackgroundURLSession {
        if let session { return session }
        var configuration = BackgroundURLSessionConfiguration.background(withIdentifier: "films")
        configuration.allowsInsecureHTTPLoads = true
        let newSession = BackgroundURLSession(configuration: configuration, delegate: self)
        session = newSession
        return newSession
    }

    /// Shows the picture of a work.
    private func showPicture(_ work: String) async {
        await snapshotCommands.show(picture.file, seconds: picture.seconds)
        report("handled \(work)")
    }

    func application(performFetchWithCompletionHandler completionHandler: @escaping FetchCompletionHandler) {
        Task {
            await showPicture("fetch")
            completionHandler(.newData)
        }
    }

    func application(
        didReceiveRemoteNotification notification: RemoteNotification,
        fetchCompletionHandler completionHandler: @escaping FetchCompletionHandler
    ) {
        Task {
            await showPicture("notification")
            completionHandler(.newData)
        }
    }

    func application(
        handleEventsForBackgroundURLSession identifier: String, completionHandler: @escaping @Sendable () -> Void
    ) {
        eventsHandler = completionHandler
        _ = makeSession()
    }

    nonisolated func urlSessionDidFinishEvents(forBackgroundURLSession session: BackgroundURLSession) {
        Task { @MainActor in
            await showPicture("transfer")
            eventsHandler?()
        }
    }
}
