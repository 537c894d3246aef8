import DesktopBus
import SystemCalls
import TestSupport

/// A service of the system, for which python-dbusmock stands, and whose properties the test sets.
final class MockService {
    private let process: ChildProcess
    private let connection: BusConnection
    private let name: String, path: String

    /// Starts a mock service, and waits until it owns its name.
    init(_ template: String, name: String, path: String, on bus: SessionBus) throws {
        (self.name, self.path) = (name, path)
        connection = try BusConnection(address: bus.address)
        process = try ChildProcess(
            "/usr/bin/python3", ["-m", "dbusmock", "--system", "--template", template],
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address, "PYTHONPATH": nil])
        let isReady = try Deadline.poll(for: .seconds(60), every: .milliseconds(20)) { () -> Bool? in
            guard process.isRunning else { return false }
            return try call(.init(bus: "NameHasOwner", [.string(name)])) == [.bool(true)] ? true : nil
        }
        guard isReady == true else {
            throw TestFailure("python3-dbusmock does not start: run scripts/test: \(process.errors.text)")
        }
    }

    @discardableResult
    private func call(_ call: BusConnection.Call) throws -> [BusValue] {
        var result: Result<[BusValue], BusError>?
        try connection.call(call) { result = $0 }
        try BusLoop.run([connection]) { result != nil }
        return try result?.get() ?? []
    }

    /// Adds a property that the template lacks.
    func add(_ property: String, _ value: BusValue) throws {
        try mock("AddProperty", [.string(name), .string(property), .variant(value)])
    }

    /// Sets a property, and signals the change.
    func set(_ property: String, _ value: BusValue) throws {
        try mock("UpdateProperties", [.string(name), .dictionary([property: value])])
    }

    /// Calls a method of the mock.
    ///
    /// - Parameter object: The path of the object; nil for the main object of the service.
    func mock(_ member: String, _ arguments: [BusValue], of object: String? = nil) throws {
        try call(
            .init(to: name, path: object ?? path, interface: "org.freedesktop.DBus.Mock", member, arguments))
    }
}
