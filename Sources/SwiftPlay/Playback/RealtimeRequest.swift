import DesktopBus
import Logging
import SystemCalls

/// A request to RealtimeKit, the desktop's service for real-time priorities, to give one to the thread that renders
/// audio. Without the service the thread keeps its priority, and the device's buffer covers late wake-ups.
///
/// The request runs on the thread "realtime", which ends after the reply. The release of this object ends it earlier.
/// The service demands that the process limits the time that a real-time thread may run without waiting
/// (`RLIMIT_RTTIME`): https://github.com/heftig/rtkit
final class RealtimeRequest: Sendable {
    /// The result of a request.
    enum Outcome: Equatable, Sendable {
        /// The thread has this real-time priority.
        case granted(priority: UInt32)
        /// The service is missing, or it has refused the request, for the given reason.
        case refused(String)
    }

    /// The requested priority. PulseAudio's threads use 5; the service permits at most 20 by default.
    private static let wantedPriority: Int32 = 5
    /// The shortest time limit, in microseconds, that is accepted from the service: the kernel ends a process that
    /// exceeds the limit.
    private static let shortestTimeLimit: Int64 = 50_000

    private let wakeEvent: EventDescriptor
    private let thread: NamedThread

    /// Starts a request.
    ///
    /// - Parameters:
    ///   - threadID: The kernel's ID of a thread of this process.
    ///   - busAddress: The address of the system bus.
    ///   - completion: Receives the result on the thread "realtime", unless the object is released before.
    init(
        for threadID: Int32, busAddress: String = BusAddress.system,
        completion: @escaping @Sendable (Outcome) -> Void = { _ in }
    ) throws(SystemCallError) {
        let wakeEvent = try EventDescriptor()
        self.wakeEvent = wakeEvent
        thread = try NamedThread("realtime") {
            let logger = Logger(label: "audio")
            do {
                let exchange = try RealtimeExchange(busAddress: busAddress, wakeEvent: wakeEvent)
                let priority = try exchange.makeRealtime(threadID)
                logger.debug("the audio render thread has the real-time priority \(priority)")
                completion(.granted(priority: priority))
            } catch is CancellationError {
                // The request was cancelled because its owner was released, so nothing waits for the result.
            } catch {
                logger.debug("the audio render thread has no real-time priority: \(error)")
                completion(.refused("\(error)"))
            }
        }
    }

    deinit {
        wakeEvent.signal()
        thread.join()
    }

    /// The calls of a request, on the thread "realtime".
    private final class RealtimeExchange {
        private static let name = "org.freedesktop.RealtimeKit1", path = "/org/freedesktop/RealtimeKit1"

        private let connection: BusConnection
        /// The event that becomes readable when the request is cancelled.
        private let wakeEvent: EventDescriptor

        init(busAddress: String, wakeEvent: EventDescriptor) throws(BusError) {
            connection = try BusConnection(address: busAddress)
            self.wakeEvent = wakeEvent
        }

        /// Requests the real-time priority.
        ///
        /// - Returns: The priority.
        /// - Throws: `BusError` if the service is missing, refuses, or states limits that cannot be used;
        ///   `SystemCallError` if the time limit cannot be set or waiting fails; `CancellationError` if the request was
        ///   cancelled.
        func makeRealtime(_ threadID: Int32) throws -> UInt32 {
            let limits = (try property("RTTimeUSecMax"), try property("MaxRealtimePriority"))
            guard case (.int64(let timeLimit), .int32(let highestPriority)) = limits,
                timeLimit >= RealtimeRequest.shortestTimeLimit, highestPriority > 0
            else {
                throw BusError(
                    BusError.invalidArguments,
                    "RealtimeKit's limits cannot be used: RTTimeUSecMax \(limits.0), MaxRealtimePriority \(limits.1)")
            }
            try ThreadPriority.limitRealtime(microseconds: timeLimit)
            let priority = UInt32(min(RealtimeRequest.wantedPriority, highestPriority))
            let call = BusConnection.Call(
                to: Self.name, path: Self.path, interface: Self.name, "MakeThreadRealtime",
                [.uint64(UInt64(threadID.magnitude)), .uint32(priority)])
            let _: [BusValue] = try wait { answer throws(BusError) in
                try connection.call(call, startsService: true, completionHandler: answer)
            }
            return priority
        }

        private func property(_ name: String) throws -> BusValue {
            try wait { answer throws(BusError) in
                try connection.property(
                    name, of: Self.name, at: Self.path, from: Self.name, startsService: true, completionHandler: answer)
            }
        }

        /// Sends a call, and returns the reply.
        ///
        /// - Throws: `CancellationError` if the request was cancelled.
        private func wait<Value>(
            for send: (@escaping (Result<Value, BusError>) -> Void) throws(BusError) -> Void
        ) throws -> Value {
            var result: Result<Value, BusError>?
            try send { result = $0 }
            while true {
                try connection.process()
                if let result { return try result.get() }
                var entries = [Poll.Entry(wakeEvent.raw), Poll.Entry(connection.descriptor, connection.events)]
                try Poll.wait(&entries, until: connection.deadline)
                if !entries[0].ready.isEmpty { throw CancellationError() }
            }
        }
    }
}
