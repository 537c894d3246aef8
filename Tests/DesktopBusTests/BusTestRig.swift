import DesktopBus
import SystemCalls
import TestSupport

/// The setup of a message bus test: a private bus with two connections, which share one event loop.
final class BusTestRig {
    /// The object path of the test object.
    static let path = "/org/example/thing"
    /// The name of the interface that the test object implements.
    static let interface = "org.example.Thing"

    let bus: SessionBus
    let firstConnection: BusConnection
    let secondConnection: BusConnection
    /// The bus name of ``secondConnection``.
    private(set) var secondConnectionName = ""

    init() throws {
        bus = try SessionBus()
        firstConnection = try BusConnection(address: bus.address)
        secondConnection = try BusConnection(address: bus.address)
        try secondConnection.requestName("org.example.Other") { [unowned self] isOurs in
            if isOurs { secondConnectionName = "org.example.Other" }
        }
        try processMessages { !secondConnectionName.isEmpty }
    }

    /// Processes both connections until `isMet` returns true.
    ///
    /// - Throws: ``TestFailure`` after `timeout`, or the error of a connection.
    func processMessages(within timeout: Duration = .seconds(10), until isMet: () -> Bool) throws {
        let end = Deadline.after(timeout)
        while !isMet() {
            guard MonotonicTime.now < end else { throw TestFailure("the condition was not met within \(timeout)") }
            var entries = [firstConnection, secondConnection].map { Poll.Entry($0.descriptor, $0.events) }
            try Poll.wait(
                &entries, until: [firstConnection.deadline, secondConnection.deadline, end].compactMap { $0 }.min())
            for connection in [firstConnection, secondConnection] { try connection.process() }
        }
    }

    /// Calls a method of the object that the second connection exports, and returns the reply.
    func callMethod(
        _ member: String, _ arguments: [BusValue] = [], of interface: String = BusTestRig.interface,
        timeout: Int64 = 5_000_000_000
    ) throws -> Result<[BusValue], BusError> {
        var answer: Result<[BusValue], BusError>?
        try firstConnection.call(
            .init(to: secondConnectionName, path: Self.path, interface: interface, member, arguments), timeout: timeout
        ) {
            answer = $0
        }
        try processMessages { answer != nil }
        return answer ?? .failure(BusError("none", ""))
    }
}
