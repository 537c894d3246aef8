import DesktopBus
import Logging
import SystemCalls

/// Inhibits the desktop's screensaver and lock screen over the session bus. Any thread; no call waits for the bus
/// except ``end()``.
///
/// The thread "screen saver" runs from a request until ``end()``.
final class DisplaySleepInhibitor: Sendable {
    private struct State {
        var isWanted = false
        var wake: EventDescriptor?
        var thread: NamedThread?
        /// The generation of the thread. A thread of an older generation ends.
        var number = 0
    }

    private let state = Monitor(State())
    private let busAddress: String?
    private let logger = Logger(label: "screensaver")

    /// - Parameter busAddress: The address of the session bus; nil disables the inhibitor.
    init(busAddress: String? = BusAddress.session) { self.busAddress = busAddress }

    /// Requests or releases the inhibition. A release takes effect after a short delay, so that a seek does not cause
    /// two calls.
    func setWanted(_ isWanted: Bool) {
        guard busAddress != nil else { return }
        state.withLock { state -> EventDescriptor? in
            guard state.isWanted != isWanted else { return nil }
            state.isWanted = isWanted
            if isWanted, state.thread == nil { start(&state) }
            return state.wake
        }?.signal()
    }

    private func start(_ state: inout State) {
        do throws(SystemCallError) {
            let wake = try EventDescriptor(), number = state.number
            state.thread = try NamedThread("screen saver") { [self] in run(wake, number) }
            state.wake = wake
        } catch { logger.debug("cannot inhibit the desktop's screensaver: \(error)") }
    }

    /// Releases the inhibition immediately and ends the thread, within a tenth of a second. A later request starts
    /// another thread.
    func end() {
        let (wake, thread) = state.withLock { state in
            state.number += 1
            state.isWanted = false
            return (state.wake.take(), state.thread.take())
        }
        wake?.signal()
        thread?.join()
    }

    private func run(_ wake: EventDescriptor, _ number: Int) {
        let inhibition = DisplaySleepInhibition(busAddress: busAddress, logger: logger)
        while true {
            wake.drain()
            let (isWanted, isEnded) = state.withLock { ($0.isWanted, $0.number != number) }
            if isEnded { return inhibition.end() }
            let deadline = inhibition.proceed(isWanted: isWanted, now: MonotonicTime.now)
            var entries = [Poll.Entry(wake.raw), Poll.Entry(inhibition.descriptor, inhibition.events)]
            guard (try? Poll.wait(&entries, until: deadline)) != nil else { return inhibition.end() }
        }
    }
}

/// An inhibition request over its own bus connection. Used only by the thread "screen saver".
private final class DisplaySleepInhibition {
    /// A method that inhibits the screensaver, and the call that releases it.
    private struct Service {
        let inhibit: BusConnection.Call
        let release: (BusValue) -> BusConnection.Call
        /// Whether the bus may start the service.
        var isStarted = false
    }

    private enum Phase {
        case released
        /// The service with this index has been called, and its reply is pending.
        case asking(Int)
        case held(BusConnection.Call)
        /// No service accepted the request, or the bus is unavailable. Retried with the next request.
        case refused
    }

    /// The delay before a release, nanoseconds: playback often continues after a seek.
    private static let releaseDelay: Int64 = 500_000_000
    /// How long the end waits for the bus to accept the last message, nanoseconds.
    private static let endPatience: Int64 = 100_000_000

    private let busAddress: String?
    private let logger: Logger
    private let services = DisplaySleepInhibition.makeServices()
    private var connection: BusConnection?
    private var phase = Phase.released
    private var isWanted = false
    private var releaseAt: Int64?

    init(busAddress: String?, logger: Logger) { (self.busAddress, self.logger) = (busAddress, logger) }

    /// Returns the services in the order in which they are tried: the freedesktop.org service at both of its paths,
    /// then the desktop portal.
    private static func makeServices() -> [Service] {
        let program = ProcessName.current, reason = "A video plays", name = "org.freedesktop.ScreenSaver"
        let savers = ["/org/freedesktop/ScreenSaver", "/ScreenSaver"].map { path in
            Service(
                inhibit: .init(to: name, path: path, interface: name, "Inhibit", [.string(program), .string(reason)]),
                release: { .init(to: name, path: path, interface: name, "UnInhibit", [$0]) })
        }
        let portal = "org.freedesktop.portal.Desktop", isIdle: UInt32 = 8
        return savers + [
            Service(
                inhibit: .init(
                    to: portal, path: "/org/freedesktop/portal/desktop", interface: "org.freedesktop.portal.Inhibit",
                    "Inhibit",
                    [.string(""), .uint32(isIdle), .dictionary(["reason": .string(reason)])]),
                release: {
                    .init(to: portal, path: $0.text ?? "/", interface: "org.freedesktop.portal.Request", "Close")
                },
                isStarted: true)
        ]
    }

    var descriptor: Int32 { connection?.descriptor ?? -1 }
    var events: Poll.Events { connection?.events ?? [] }

    /// Carries out everything that is possible without waiting.
    ///
    /// - Returns: Host time at which to call again without an event; nil to wait for an event.
    func proceed(isWanted: Bool, now: Int64) -> Int64? {
        if self.isWanted != isWanted {
            self.isWanted = isWanted
            releaseAt = isWanted ? nil : now + Self.releaseDelay
        }
        do throws(BusError) {
            switch phase {
            case .released where isWanted: try ask(0)
            case .held(let release):
                guard let due = releaseAt, now >= due else { break }
                (phase, releaseAt) = (.released, nil)
                try connection?.call(release)
            case .refused where !isWanted: phase = .released
            case .released, .asking, .refused: break
            }
            try connection?.process()
        } catch {
            logger.debug("cannot inhibit the desktop's screensaver: \(error)")
            // A lost connection releases the request.
            (connection, phase) = (nil, .refused)
        }
        // Only a held request has a deadline for its release: in other phases a past `releaseAt` would never be
        // cleared.
        let releaseDeadline: Int64? = if case .held = phase { releaseAt } else { nil }
        return [connection?.deadline, releaseDeadline].compactMap(\.self).min()
    }

    private func ask(_ number: Int) throws(BusError) {
        guard services.indices.contains(number) else {
            logger.debug("no service of the desktop inhibits the screensaver")
            return phase = .refused
        }
        let connection: BusConnection =
            if let made = self.connection { made } else { try BusConnection(address: busAddress) }
        self.connection = connection
        phase = .asking(number)
        let service = services[number]
        try connection.call(service.inhibit, startsService: service.isStarted) { [weak self] answer in
            self?.take(answer, of: service, number)
        }
    }

    private func take(_ answer: Result<[BusValue], BusError>, of service: Service, _ number: Int) {
        do throws(BusError) {
            if case .success(let values) = answer, let key = values.first {
                // If the request is obsolete by now, `releaseAt` determines its release.
                phase = .held(service.release(key))
            } else {
                try ask(number + 1)
            }
        } catch {
            logger.debug("cannot inhibit the desktop's screensaver: \(error)")
            phase = .refused
        }
    }

    /// Releases the inhibition immediately. If the bus does not accept the message in time, the end of the connection
    /// releases it.
    func end() {
        guard let connection, case .held(let release) = phase else { return }
        var isDone = false
        let end = MonotonicTime.now + Self.endPatience
        do {
            try connection.call(release, patience: Self.endPatience) { _ in isDone = true }
            while !isDone, MonotonicTime.now < end {
                try connection.process()
                if isDone { return }
                var entries = [Poll.Entry(connection.descriptor, connection.events)]
                try Poll.wait(&entries, until: min(end, connection.deadline ?? end))
            }
        } catch { logger.debug("closing the connection releases the desktop's screensaver: \(error)") }
    }
}
