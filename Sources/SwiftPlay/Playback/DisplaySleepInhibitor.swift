import DesktopBus
import Logging
import SystemCalls

/// Holds the desktop's screensaver and lock screen back over the session bus, and gives them free again. Any thread; no
/// call waits for the bus.
///
/// The thread "screen saver" runs from a request on until ``end()``.
final class DisplaySleepInhibitor: Sendable {
    private struct State {
        var isWanted = false
        var wake: EventDescriptor?
        var thread: NamedThread?
        /// Counts the threads that were ended: one of an older number ends.
        var number = 0
    }

    private let state = Monitor(State())
    private let busAddress: String?
    private let logger = Logger(label: "screensaver")

    /// - Parameter busAddress: nil: there is no session, and nothing is done.
    init(busAddress: String? = BusAddress.session) { self.busAddress = busAddress }

    /// Asks for the screen to stay on, or takes that back. A request is taken back a moment later, so that a seek does
    /// not cost two calls.
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
        } catch { logger.debug("the desktop's screensaver is not held back: \(error)") }
    }

    /// Takes the request back at once and ends the thread, within a tenth of a second. A later request starts another
    /// one.
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

/// One request to the desktop that it stay awake, over a connection of its own. Used by the thread "screen saver"
/// alone.
private final class DisplaySleepInhibition {
    /// A method that holds the screensaver back, and how its answer is taken back.
    private struct Service {
        let inhibit: BusConnection.Call
        let release: (BusValue) -> BusConnection.Call
        /// The bus may start it.
        var isStarted = false
    }

    private enum Phase {
        case released
        /// The service of this number has been asked.
        case asking(Int)
        case held(BusConnection.Call)
        /// No service takes it, or there is no bus. Tried again with the next request.
        case refused
    }

    /// How long a request outlives its end, in nanoseconds: a film that seeks goes on.
    private static let releaseDelay: Int64 = 500_000_000
    /// How long the end waits for the bus to take the last message, in nanoseconds.
    private static let endPatience: Int64 = 100_000_000

    private let busAddress: String?
    private let logger: Logger
    private let services = DisplaySleepInhibition.makeServices()
    private var connection: BusConnection?
    private var phase = Phase.released
    private var isWanted = false
    private var releaseAt: Int64?

    init(busAddress: String?, logger: Logger) { (self.busAddress, self.logger) = (busAddress, logger) }

    /// In the order in which they are asked: the freedesktop service under both of its paths, then the portal.
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

    /// Does what can be done now.
    ///
    /// - Returns: when to call again even if nothing comes; nil: not before something does.
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
            logger.debug("the desktop's screensaver is not held back: \(error)")
            // A connection that is lost takes the request with it.
            (connection, phase) = (nil, .refused)
        }
        // Only a request that is held has something to take back: in any other phase a past `releaseAt` would never
        // clear.
        let releaseDeadline: Int64? = if case .held = phase { releaseAt } else { nil }
        return [connection?.deadline, releaseDeadline].compactMap(\.self).min()
    }

    private func ask(_ number: Int) throws(BusError) {
        guard services.indices.contains(number) else {
            logger.debug("no service of the desktop holds its screensaver back")
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
                // Where it is not wanted any more, `releaseAt` says when it ends.
                phase = .held(service.release(key))
            } else {
                try ask(number + 1)
            }
        } catch {
            logger.debug("the desktop's screensaver is not held back: \(error)")
            phase = .refused
        }
    }

    /// Takes the request back at once. Where the bus does not take the message in time, the desktop sees the connection
    /// end.
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
        } catch { logger.debug("the desktop's screensaver is given free by the end of the connection: \(error)") }
    }
}
