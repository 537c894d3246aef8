import DesktopBus
import Logging
import SystemCalls

/// Inhibits the desktop's screensaver and lock screen over the session bus. All methods may be called on any thread.
/// Only ``end()`` waits for the bus.
///
/// The screensaver thread, which sends the D-Bus messages, runs from the first request until ``end()``.
final class DisplaySleepInhibitor: Sendable {
    private struct State {
        /// Whether the screensaver should be inhibited.
        var isInhibitionWanted = false
        /// Wakes the screensaver thread after a change.
        var wakeEvent: EventDescriptor?
        var thread: NamedThread?
        /// The number of the current thread. A thread with a lower number ends.
        var threadNumber = 0
    }

    private let state = Monitor(State())
    private let busAddress: String?
    private let logger = Logger(label: "screensaver")

    /// Creates an inhibitor, which connects to the session bus at the first request.
    ///
    /// - Parameter busAddress: The address of the session bus; nil disables the inhibitor.
    init(busAddress: String? = BusAddress.session) { self.busAddress = busAddress }

    /// Requests or releases the inhibition. A release takes effect after a short delay, so that a seek does not cause
    /// two D-Bus calls.
    func setInhibitionWanted(_ isWanted: Bool) {
        guard busAddress != nil else { return }
        state.withLock { state -> EventDescriptor? in
            guard state.isInhibitionWanted != isWanted else { return nil }
            state.isInhibitionWanted = isWanted
            if isWanted, state.thread == nil { start(&state) }
            return state.wakeEvent
        }?.signal()
    }

    /// Starts the screensaver thread with a number, by which the thread recognises that it must end.
    private func start(_ state: inout State) {
        do throws(SystemCallError) {
            let wakeEvent = try EventDescriptor(), number = state.threadNumber
            state.thread = try NamedThread("screen saver") { [self] in run(wakeEvent, number: number) }
            state.wakeEvent = wakeEvent
        } catch { logger.debug("cannot inhibit the desktop's screensaver: \(error)") }
    }

    /// Releases the inhibition immediately and ends the screensaver thread, within 0.3 s. A later request starts
    /// another thread.
    func end() {
        let (wakeEvent, thread) = state.withLock { state in
            state.threadNumber += 1
            state.isInhibitionWanted = false
            return (state.wakeEvent.take(), state.thread.take())
        }
        wakeEvent?.signal()
        thread?.join()
    }

    /// The main loop of the thread that sends the D-Bus messages. Runs until ``end()`` changes
    /// the state's `threadNumber`, or waiting fails.
    private func run(_ wakeEvent: EventDescriptor, number: Int) {
        let inhibition = DisplaySleepInhibition(busAddress: busAddress, logger: logger)
        while true {
            wakeEvent.drain()
            let (isWanted, isEnded) = state.withLock { ($0.isInhibitionWanted, $0.threadNumber != number) }
            if isEnded { return inhibition.end() }
            let deadline = inhibition.exchangeMessages(isWanted: isWanted, now: MonotonicTime.now)
            var entries = [Poll.Entry(wakeEvent.raw), Poll.Entry(inhibition.descriptor, inhibition.events)]
            guard (try? Poll.wait(&entries, until: deadline)) != nil else { return inhibition.end() }
        }
    }
}

/// A request to inhibit the screensaver, over its own connection to the session bus. Used only by the screensaver
/// thread.
private final class DisplaySleepInhibition {
    /// A D-Bus service that inhibits the screensaver.
    private struct Service {
        /// The D-Bus call that inhibits the screensaver.
        let inhibit: BusConnection.Call
        /// Returns the D-Bus call that releases the inhibition. The argument is the reply to ``inhibit``.
        let release: (BusValue) -> BusConnection.Call
        /// Whether the session bus may start the service if it does not run.
        var mayBeStarted = false
    }

    /// The progress of the inhibition.
    private enum Phase {
        /// The screensaver is not inhibited.
        case released
        /// The service with this index has been called, and its reply is pending.
        case requesting(Int)
        /// The screensaver is inhibited. The associated D-Bus call releases the inhibition.
        case held(BusConnection.Call)
        /// No service accepted the request, or the bus is unavailable. Retried with the next request.
        case refused
    }

    /// The delay before a release, in nanoseconds: playback often continues after a seek.
    private static let releaseDelay: Int64 = 500_000_000
    /// The longest time that ``end()`` waits for the desktop's service, in nanoseconds.
    private static let endTimeout: Int64 = 300_000_000

    private let busAddress: String?
    private let logger: Logger
    /// The services of the desktop, in the order in which they are tried.
    private let services = DisplaySleepInhibition.makeServices()
    /// The connection to the session bus; nil until the first request, and after a failure.
    private var connection: BusConnection?
    /// The progress of the inhibition.
    private var phase = Phase.released
    /// Whether the screensaver should be inhibited.
    private var isWanted = false
    /// The host time at which the inhibition is released; nil while it is wanted.
    private var releaseHostTime: Int64?

    init(busAddress: String?, logger: Logger) { (self.busAddress, self.logger) = (busAddress, logger) }

    /// Returns the services in the order in which they are tried: the freedesktop.org service at both of its paths,
    /// then the desktop portal.
    private static func makeServices() -> [Service] {
        let program = ProcessName.current, reason = "Playing video", name = "org.freedesktop.ScreenSaver"
        let screensaverServices = ["/org/freedesktop/ScreenSaver", "/ScreenSaver"].map { path in
            Service(
                inhibit: .init(to: name, path: path, interface: name, "Inhibit", [.string(program), .string(reason)]),
                release: { .init(to: name, path: path, interface: name, "UnInhibit", [$0]) })
        }
        let portal = "org.freedesktop.portal.Desktop", idleFlag: UInt32 = 8
        return screensaverServices + [
            Service(
                inhibit: .init(
                    to: portal, path: "/org/freedesktop/portal/desktop", interface: "org.freedesktop.portal.Inhibit",
                    "Inhibit",
                    [.string(""), .uint32(idleFlag), .dictionary(["reason": .string(reason)])]),
                release: {
                    .init(to: portal, path: $0.text ?? "/", interface: "org.freedesktop.portal.Request", "Close")
                },
                mayBeStarted: true)
        ]
    }

    /// The descriptor of the bus connection; -1 without a connection.
    var descriptor: Int32 { connection?.descriptor ?? -1 }
    /// The events of ``descriptor`` for which the screensaver thread waits.
    var events: Poll.Events { connection?.events ?? [] }

    /// Sends and handles all D-Bus messages that are possible without waiting.
    ///
    /// - Returns: The host time at which to call this method again without an event; nil to wait for an event.
    func exchangeMessages(isWanted: Bool, now: Int64) -> Int64? {
        if self.isWanted != isWanted {
            self.isWanted = isWanted
            releaseHostTime = isWanted ? nil : now + Self.releaseDelay
        }
        do throws(BusError) {
            switch phase {
            case .released where isWanted: try sendRequest(to: 0)
            case .held(let release):
                guard let deadline = releaseHostTime, now >= deadline else { break }
                (phase, releaseHostTime) = (.released, nil)
                try connection?.call(release)
            case .refused where !isWanted: phase = .released
            case .released, .requesting, .refused: break
            }
            try connection?.process()
        } catch {
            logger.debug("cannot inhibit the desktop's screensaver: \(error)")
            // Closing the connection releases an inhibition that was granted.
            (connection, phase) = (nil, .refused)
        }
        // Only an inhibition in effect has a deadline for its release: in other phases a past `releaseHostTime` would
        // never be cleared.
        let releaseDeadline: Int64? = if case .held = phase { releaseHostTime } else { nil }
        return [connection?.deadline, releaseDeadline].compactMap(\.self).min()
    }

    /// Requests that the service with this index inhibit the screensaver.
    private func sendRequest(to serviceIndex: Int) throws(BusError) {
        guard services.indices.contains(serviceIndex) else {
            logger.debug("the desktop has no service that inhibits the screensaver")
            return phase = .refused
        }
        let connection: BusConnection =
            if let openConnection = self.connection { openConnection } else { try BusConnection(address: busAddress) }
        self.connection = connection
        phase = .requesting(serviceIndex)
        let service = services[serviceIndex]
        try connection.call(service.inhibit, startsService: service.mayBeStarted) { [weak self] reply in
            self?.handleReply(reply, of: service, serviceIndex)
        }
    }

    /// Handles the reply of a service. If the service refuses, sends the request to the next service.
    private func handleReply(_ reply: Result<[BusValue], BusError>, of service: Service, _ serviceIndex: Int) {
        do throws(BusError) {
            if case .success(let values) = reply, let key = values.first {
                // If the inhibition is no longer wanted, it is released at the host time `releaseHostTime`.
                phase = .held(service.release(key))
            } else {
                try sendRequest(to: serviceIndex + 1)
            }
        } catch {
            logger.debug("cannot inhibit the desktop's screensaver: \(error)")
            phase = .refused
        }
    }

    /// Releases the inhibition immediately. Waits for the reply to a request that is still pending. If the service does
    /// not reply in time, the end of the connection releases the inhibition.
    func end() {
        guard let connection else { return }
        var isReleasing = false, isReleased = false
        let deadline = MonotonicTime.now + Self.endTimeout
        do {
            while !isReleased, MonotonicTime.now < deadline {
                switch phase {
                case .held(let release):
                    (phase, isReleasing) = (.released, true)
                    try connection.call(release, timeout: Self.endTimeout) { _ in isReleased = true }
                case .requesting: break
                case .released, .refused: if !isReleasing { return }
                }
                try connection.process()
                if isReleased { return }
                if case .held = phase { continue }
                var entries = [Poll.Entry(connection.descriptor, connection.events)]
                try Poll.wait(&entries, until: min(deadline, connection.deadline ?? deadline))
            }
        } catch {
            logger.debug(
                "the release of the screensaver inhibition failed; closing the connection releases it: \(error)")
        }
    }
}
