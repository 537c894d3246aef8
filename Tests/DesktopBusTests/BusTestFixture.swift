import DesktopBus
import SystemCalls
import TestSupport

/// The fixture of a message bus test: a private session bus with two connections, which share one event loop.
final class BusTestFixture {
    /// The object path of the test object.
    static let path = "/org/example/thing"
    /// The name of the interface that the test object implements.
    static let interface = "org.example.Thing"

    /// The private session bus.
    let bus: SessionBus
    /// The connection that calls methods.
    let firstConnection: BusConnection
    /// The connection that exports the test object.
    let secondConnection: BusConnection
    /// The bus name of ``secondConnection``.
    private(set) var secondConnectionName = ""

    init() throws {
        bus = try SessionBus()
        firstConnection = try BusConnection(address: bus.address)
        secondConnection = try BusConnection(address: bus.address)
        try secondConnection.requestName("org.example.Other") { [unowned self] isNameGranted in
            if isNameGranted { secondConnectionName = "org.example.Other" }
        }
        try processMessages { !secondConnectionName.isEmpty }
    }

    /// Processes the messages of both connections until `condition` returns true.
    ///
    /// - Throws: ``TestFailure`` after `timeout`, or the error of a connection.
    func processMessages(within timeout: Duration = .seconds(10), until condition: () -> Bool) throws {
        let deadline = Deadline.after(timeout)
        while !condition() {
            guard MonotonicTime.now < deadline else { throw TestFailure("the condition was not met within \(timeout)") }
            var entries = [firstConnection, secondConnection].map { Poll.Entry($0.descriptor, $0.events) }
            try Poll.wait(
                &entries,
                until: [firstConnection.deadline, secondConnection.deadline, deadline].compactMap { $0 }.min())
            for connection in [firstConnection, secondConnection] { try connection.process() }
        }
    }

    /// Calls a method of the object that the second connection exports, and returns the reply.
    func callMethod(
        _ member: String, _ arguments: [BusValue] = [], of interface: String = BusTestFixture.interface,
        timeout: Int64 = 5_000_000_000
    ) throws -> Result<[BusValue], BusError> {
        var result: Result<[BusValue], BusError>?
        try firstConnection.call(
            .init(to: secondConnectionName, path: Self.path, interface: interface, member, arguments), timeout: timeout
        ) {
            result = $0
        }
        try processMessages { result != nil }
        return result ?? .failure(BusError("none", ""))
    }
}
