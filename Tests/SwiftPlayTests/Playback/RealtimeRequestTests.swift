import DesktopBus
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

/// Tests with a stand-in for RealtimeKit on a private message bus, in this process.
@Suite struct RealtimeRequestTests {
    /// A service with RealtimeKit's interface, which records the requests. It changes no thread's priority.
    private final class Service {
        /// A request that the service received.
        struct Request: Equatable { let thread: UInt64, priority: UInt32 }

        private let connection: BusConnection
        private var object: BusSlot?
        private(set) var requests: [Request] = []
        private var ownsName = false

        init(
            on bus: SessionBus, highestPriority: Int32 = 20, timeLimit: Int64 = 200_000, refusesRequests: Bool = false
        ) throws {
            connection = try BusConnection(address: bus.address)
            let name = "org.freedesktop.RealtimeKit1"
            let makeRealtimeMethod = BusInterface.Method(
                "MakeThreadRealtime", [.init("thread", "t"), .init("priority", "u")]
            ) {
                [unowned self] values throws(BusError) in
                guard case .uint64(let thread)? = values.first, case .uint32(let priority)? = values.last else {
                    throw BusError(BusError.invalidArguments, "wrong types")
                }
                requests.append(Request(thread: thread, priority: priority))
                if refusesRequests { throw BusError("org.freedesktop.DBus.Error.AccessDenied", "not permitted") }
                return []
            }
            object = try connection.export(
                BusObject([
                    BusInterface(
                        name, methods: [makeRealtimeMethod],
                        properties: [
                            .init("MaxRealtimePriority", "i", { .int32(highestPriority) }),
                            .init("RTTimeUSecMax", "x", { .int64(timeLimit) }),
                        ])
                ]), at: "/org/freedesktop/RealtimeKit1")
            try connection.requestName(name) { [unowned self] in ownsName = $0 }
            let deadline = Deadline.after(.seconds(10))
            while !ownsName {
                guard MonotonicTime.now < deadline else { throw TestFailure("the message bus does not answer") }
                try process(until: deadline)
            }
        }

        /// Serves requests until a message arrives, for at most 5 ms.
        func process(until deadline: Int64) throws {
            var entries = [Poll.Entry(connection.descriptor, connection.events)]
            let shortDeadline = MonotonicTime.now + 5_000_000
            try Poll.wait(&entries, until: [connection.deadline, shortDeadline, deadline].compactMap(\.self).min())
            try connection.process()
        }
    }

    /// Serves requests until `outcome` has a value, and returns the value.
    private func wait(for outcome: Monitor<RealtimeRequest.Outcome?>, _ service: Service) throws
        -> RealtimeRequest.Outcome
    {
        let deadline = Deadline.after(.seconds(10))
        while MonotonicTime.now < deadline {
            if let value = outcome.withLock({ $0 }) { return value }
            try service.process(until: deadline)
        }
        throw TestFailure("the request received no reply")
    }

    @Test(arguments: [(20, 5), (3, 3)] as [(Int32, UInt32)])
    func requestNamesTheThreadAndAPermittedPriority(_ highestPriority: Int32, _ priority: UInt32) throws {
        let bus = try SessionBus(), service = try Service(on: bus, highestPriority: highestPriority)
        let outcome = Monitor<RealtimeRequest.Outcome?>(nil)
        let request = try RealtimeRequest(for: 4711, busAddress: bus.address) { result in
            outcome.withLock { $0 = result }
        }
        let result = try wait(for: outcome, service)
        #expect(result == .granted(priority: priority))
        withExtendedLifetime(request) {}
        #expect(service.requests == [.init(thread: 4711, priority: priority)])
        #expect(try #require(ThreadPriority.realtimeLimit) <= 200_000)
    }

    @Test func refusedRequestIsReported() throws {
        let bus = try SessionBus(), service = try Service(on: bus, refusesRequests: true)
        let outcome = Monitor<RealtimeRequest.Outcome?>(nil)
        let request = try RealtimeRequest(for: 4711, busAddress: bus.address) { result in
            outcome.withLock { $0 = result }
        }
        guard case .refused(let reason) = try wait(for: outcome, service) else {
            Issue.record("the request was granted")
            return
        }
        #expect(reason.contains("not permitted"))
        withExtendedLifetime(request) {}
    }

    @Test(
        "a time limit below 50 ms, which may end the process, and a priority that is not positive are refused",
        arguments: [(0, 200_000), (-3, 200_000), (20, 0), (20, -1), (20, 49_999)])
    func unusableLimitsAreRefused(_ highestPriority: Int32, _ timeLimit: Int64) throws {
        let bus = try SessionBus(),
            service = try Service(on: bus, highestPriority: highestPriority, timeLimit: timeLimit)
        let outcome = Monitor<RealtimeRequest.Outcome?>(nil)
        let request = try RealtimeRequest(for: 4711, busAddress: bus.address) { result in
            outcome.withLock { $0 = result }
        }
        let result = try wait(for: outcome, service)
        guard case .refused(let reason) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(reason.contains("limits cannot be used") && reason.contains("\(timeLimit)"))
        #expect(try service.requests.isEmpty && #require(ThreadPriority.realtimeLimit) >= 50_000)
        withExtendedLifetime(request) {}
    }

    @Test func requestWithoutAServiceIsRefused() throws {
        let bus = try SessionBus(), outcome = Monitor<RealtimeRequest.Outcome?>(nil)
        let request = try RealtimeRequest(for: 4711, busAddress: bus.address) { result in
            outcome.update { $0 = result }
        }
        let result = outcome.wait(until: Deadline.after(.seconds(10))) { $0 }
        guard case .refused? = result else {
            Issue.record("\(String(describing: result))")
            return
        }
        withExtendedLifetime(request) {}
    }

    @Test("releasing a request ends its thread although the bus hangs", .timeLimit(.minutes(1)))
    func releaseEndsTheThreadOfAPendingRequest() throws {
        let bus = try SessionBus()
        bus.suspend()
        let outcome = Monitor<RealtimeRequest.Outcome?>(nil)
        do {
            // At the end of this scope the deinitialiser waits for the request's thread.
            let request = try RealtimeRequest(for: 4711, busAddress: bus.address) { result in
                outcome.withLock { $0 = result }
            }
            withExtendedLifetime(request) {}
        }
        #expect(outcome.withLock { $0 } == nil)
    }
}
