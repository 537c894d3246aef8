import DesktopBus
import SystemCalls

/// A loop in which a test processes messages of a bus.
package enum BusLoop {
    /// Processes messages until a condition is met.
    ///
    /// - Parameters:
    ///   - connections: The connections of the test.
    ///   - sources: The tested objects that poll a bus.
    ///   - now: Returns the time that the sources receive.
    /// - Throws: ``TestFailure`` after 20 s, or the error of a connection.
    package static func run(
        _ connections: [BusConnection], _ sources: [any EventSource] = [],
        now: () -> Int64 = { MonotonicTime.now }, until isMet: () throws -> Bool
    ) throws {
        let deadline = Deadline.after(.seconds(20))
        while try !isMet() {
            guard MonotonicTime.now < deadline else { throw TestFailure("the condition was not met within 20 s") }
            var entries = connections.map { Poll.Entry($0.descriptor, $0.events) } + sources.flatMap(\.entries)
            // A condition may depend on a file of another process, so the wait is short.
            let times = connections.map(\.deadline) + sources.map(\.deadline) + [MonotonicTime.now + 50_000_000]
            try Poll.wait(&entries, until: times.compactMap { $0 }.min())
            for connection in connections { try connection.process() }
            for source in sources { source.process([], now: now()) }
        }
    }
}
