import Dispatch
import FoundationEssentials
import Glibc
import SwiftPlayBackground
import SystemCalls

/// What a probe does with a fetch or a notification.
enum WakeBehaviour: String {
    /// Completes with this result. A probe that the service has started exits then.
    case newData, noData, failed
    /// Completes with new data twice, from two threads.
    case twice
    /// Never completes.
    case hang
    /// Never completes, ignores SIGTERM, and starts a child that does the same.
    case stubborn
    /// Is killed before it completes.
    case crash
    /// Completes with new data only after SIGUSR1.
    case wait
    /// Uses the processor for 200 ms, and completes with new data.
    case busy
    /// Registers for notifications from servers until SIGUSR1, and completes with new data.
    case register
    /// Registers for encrypted notifications from servers with the keys of the file `LOG.keys`, and completes with new
    /// data.
    case encrypted
    /// Leaves the foreground as soon as it is configured, and completes without new data.
    case hidden
}

/// The delegate of a probe for wakes.
final class WakeProbe: BackgroundApplicationDelegate {
    private let log: String
    private let behaviour: WakeBehaviour
    private let waiting = Monitor<[WaitingHandler]>([])

    /// A completion handler that waits for SIGUSR1.
    struct WaitingHandler: Sendable {
        let call: FetchCompletionHandler
    }

    init(log: String, behaviour: WakeBehaviour) { (self.log, self.behaviour) = (log, behaviour) }

    func application(performFetchWithCompletionHandler completionHandler: @escaping FetchCompletionHandler) {
        report(log, "fetch")
        handle(completionHandler)
    }

    func application(
        didReceiveRemoteNotification notification: RemoteNotification,
        fetchCompletionHandler completionHandler: @escaping FetchCompletionHandler
    ) {
        let text = String(decoding: notification.payload, as: UTF8.self)
        report(log, "notification \(text) \(MonotonicTime.now)")
        if behaviour == .register {
            report(log, "bytes \(notification.payload.map { String($0) }.joined(separator: ","))")
        }
        if behaviour == .encrypted { report(log, "encrypted \(notification.isEncrypted)") }
        handle(completionHandler)
    }

    func applicationBackgroundTimeWillExpire() { report(log, "expires") }

    func application(didRegisterForRemoteNotificationsWithEndpoint endpoint: URL) {
        report(log, "endpoint \(endpoint.absoluteString)")
    }

    func application(didFailToRegisterForRemoteNotificationsWithError error: RemoteNotificationError) {
        report(log, "no endpoint: \(error)")
    }

    private func handle(_ completionHandler: @escaping FetchCompletionHandler) {
        switch behaviour {
        case .newData, .register, .encrypted: complete(.newData, completionHandler)
        case .noData, .hidden: complete(.noData, completionHandler)
        case .failed: complete(.failed, completionHandler)
        case .twice:
            DispatchQueue.global().async { completionHandler(.noData) }
            complete(.newData, completionHandler)
        case .hang: break
        case .stubborn:
            signal(SIGTERM, SIG_IGN)
            report(log, "child \(startChild())")
        case .crash: kill(getpid(), SIGKILL)
        case .wait: waiting.withLock { $0.append(WaitingHandler(call: completionHandler)) }
        case .busy:
            let end = MonotonicTime.processorTime + 200_000_000
            while MonotonicTime.processorTime < end {}
            complete(.newData, completionHandler)
        }
    }

    /// Starts a child that ignores SIGTERM, and returns its process ID.
    private func startChild() -> Int32 {
        let arguments = ["-c", "trap '' TERM; while :; do sleep 1000; done"]
        return (try? ChildProgram.start("/bin/sh", arguments, steps: [], descriptorCount: 0)) ?? 0
    }

    private func complete(_ result: BackgroundFetchResult, _ completionHandler: FetchCompletionHandler) {
        completionHandler(result)
        report(log, "completed")
        if BackgroundApplication.shared.isBackgroundStart { exit(0) }
    }

    /// Calls the waiting completion handlers, or ends the registration.
    func release() {
        if behaviour == .register { return BackgroundApplication.shared.unregisterForRemoteNotifications() }
        let handlers = waiting.withLock { handlers in
            defer { handlers = [] }
            return handlers
        }
        for handler in handlers { handler.call(.newData) }
        report(log, "completed")
    }
}

/// Starts the probe for wakes with the arguments `LOG wakes NAME BEHAVIOUR`. SIGUSR1 releases waiting completion
/// handlers or ends the registration, SIGUSR2 reports that the program has left the foreground.
///
/// - Returns: What must live as long as the process. `dispatchMain` ends the main thread without leaving its functions,
///   which AddressSanitizer reports if they have variables on the stack.
@MainActor
func startWakeProbe(_ arguments: [String]) -> Any {
    guard arguments.count == 4, let behaviour = WakeBehaviour(rawValue: arguments[3]) else {
        fatalError("usage: BackgroundProbe LOG wakes NAME BEHAVIOUR")
    }
    let application = BackgroundApplication.shared
    let probe = WakeProbe(log: arguments[0], behaviour: behaviour)
    report(arguments[0], "start \(application.isBackgroundStart ? "background" : "user")")
    application.configure(
        identifier: arguments[2], launchArguments: arguments, modes: [.fetch, .remoteNotification], delegate: probe)
    application.setMinimumBackgroundFetchInterval(BackgroundApplication.backgroundFetchIntervalMinimum)
    if behaviour == .register { application.registerForRemoteNotifications() }
    if behaviour == .encrypted {
        do {
            let keys = try RemoteNotificationKeys(storedAt: URL(filePath: arguments[0] + ".keys"))
            application.registerForRemoteNotifications(keys: keys)
        } catch { report(arguments[0], "no keys: \(error)") }
    }
    if behaviour == .hidden { application.isInForeground = false }
    var sources: [any DispatchSourceSignal] = []
    for (number, action) in [
        (SIGUSR1, { @Sendable @MainActor in probe.release() }),
        (SIGUSR2, { @Sendable @MainActor in BackgroundApplication.shared.isInForeground = false }),
    ] {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
        source.setEventHandler { MainActor.assumeIsolated { action() } }
        source.resume()
        sources.append(source)
    }
    return (probe, sources)
}
