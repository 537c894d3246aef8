import BackgroundProtocol
import FoundationEssentials
import Logging
import PushEncryption
import SystemCalls

extension BackgroundApplication {
    /// The interval of a program that is not fetched; the default.
    public static let backgroundFetchIntervalNever = TimeInterval.greatestFiniteMagnitude
    /// The interval of a program for which the service chooses the time between fetches.
    public static let backgroundFetchIntervalMinimum: TimeInterval = 0

    /// Sets the shortest time between two background fetches, in seconds. Intervals below 15 minutes count as 15
    /// minutes. The service keeps the interval when the program ends.
    ///
    /// Call it after ``configure(identifier:launchArguments:modes:delegate:)`` with the mode
    /// ``Modes/fetch``.
    public func setMinimumBackgroundFetchInterval(_ interval: TimeInterval) {
        let seconds = Self.seconds(ofFetchInterval: interval)
        BackgroundConnection.shared.link.perform(.setFetchInterval(seconds), standingName: "fetch interval")
    }

    /// Returns an interval in whole seconds; 0 if the service chooses, nil for no fetches.
    static func seconds(ofFetchInterval interval: TimeInterval) -> Int64? {
        if interval > TimeInterval(ClientLimits.timeLimit) { return nil }
        return interval > 0 ? Int64(interval.rounded(.up)) : 0
    }

    /// Whether a person uses the program: true from the start by a user on, false after a start by the service.
    ///
    /// Set it when the windows of the program are shown or hidden. The service learns from it when the program is
    /// opened; while it is true, the program is not fetched, and receives notifications at once.
    public var isInForeground: Bool {
        get { wakes.withLock { $0.isInForeground } }
        set {
            let isChanged = wakes.withLock { state in
                defer { state.isInForeground = newValue }
                return state.isInForeground != newValue
            }
            if isChanged { reportPresence() }
        }
    }

    /// Reports to the service whether the program is in the foreground.
    func reportPresence() {
        let link = BackgroundConnection.shared.link
        guard isInForeground else {
            link.perform(.setPresence(.background), standingName: "presence")
            return
        }
        link.perform(.setPresence(.opened), standingName: "presence") { _ in
            // A service that is started later must not count the opening again.
            link.replaceStanding("presence", .setPresence(.opened), with: .setPresence(.open))
        }
    }

    /// Calls the delegate for a fetch.
    func handleFetch(_ token: Int64, _ link: BackgroundLink) {
        let completion = WakeCompletion { [self] result in
            complete(.completeFetch(token: token, result), link)
        }
        Task { @MainActor in
            guard let delegate else {
                completion.call(.failed)
                return
            }
            delegate.application(performFetchWithCompletionHandler: { completion.call($0) })
        }
    }

    /// Calls the delegate for a notification, unless the delegate has it already, or the program has keys and the
    /// notification of a server was not encrypted for them.
    func handleNotification(
        _ id: Int64, _ payload: [UInt8], from sender: NotificationSender?, _ link: BackgroundLink
    ) {
        switch wakes.withLock({ $0.handleArrival(id) }) {
        case .running: return
        case .completed(let result): return link.perform(.completeNotification(id: id, result))
        case .new: break
        }
        let completion = WakeCompletion { [self] result in
            wakes.withLock { $0.complete(id, result) }
            complete(.completeNotification(id: id, result), link)
        }
        Task { @MainActor in
            guard let delegate else {
                completion.call(.failed)
                return
            }
            // The program may register its keys after the connection was made, in the same turn of the main thread.
            let keys = wakes.withLock { $0.keys }
            let notification: RemoteNotification
            do throws(PushEncryptionError) {
                notification = try RemoteNotification(received: payload, from: sender, keys: keys)
            } catch {
                let remedy = sender == nil ? "; restart swiftplay-backgroundd, which is too old to state senders" : ""
                Logger(label: "background").warning("a notification was not delivered: \(error)\(remedy)")
                completion.call(.failed)
                return
            }
            delegate.application(
                didReceiveRemoteNotification: notification, fetchCompletionHandler: { completion.call($0) })
        }
    }

    /// Reports the end of a fetch or a notification, and waits until the service has stored it. Without an answer, the
    /// service counts the wake as failed.
    private func complete(_ command: ClientCommand, _ link: BackgroundLink) {
        _ = try? link.answer(to: command, timeout: WakeCompletion.timeout)
        handleCompletedWork()
    }

    /// Calls the delegate because the time of a fetch or a notification ends.
    func handleExpiration() {
        Task { @MainActor in delegate?.applicationBackgroundTimeWillExpire() }
    }
}
