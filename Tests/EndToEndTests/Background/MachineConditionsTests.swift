import DesktopBus
import SystemCalls
import TestSupport
import Testing

/// Transfers while network and power change, with the real processes. python-dbusmock stands for the services of the
/// system.
@Suite struct MachineConditionsTests {
    /// A service of the system whose properties the test sets.
    private final class MockService {
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
        func mock(_ member: String, _ arguments: [BusValue]) throws {
            try call(
                .init(to: name, path: path, interface: "org.freedesktop.DBus.Mock", member, arguments))
        }
    }

    private let bus: SessionBus
    private let fixture: BackgroundFixture

    init() throws {
        bus = try SessionBus()
        fixture = try BackgroundFixture(systemBus: bus.address)
    }

    @Test("a download stops on a metered network and behind a sign-in page, and goes on where it stopped")
    func aDownloadFollowsNetworkManager() throws {
        let network = try MockService(
            "networkmanager", name: "org.freedesktop.NetworkManager", path: "/org/freedesktop/NetworkManager", on: bus)
        try network.add("Metered", .uint32(4))
        let server = try ContentServer(pausesAt: 100_000)
        let command = try fixture.download([server.address()], ["--unmetered"])
        try fixture.waitForStoredPart(bytes: 100_000)
        try network.set("Metered", .uint32(3))
        try fixture.waitForListing("waiting for a network that is not metered")
        try network.set("Connectivity", .uint32(2))
        try fixture.waitForListing("waiting for the sign-in page")
        try network.set("Connectivity", .uint32(4))
        try fixture.waitForListing("waiting for a network that is not metered")
        #expect(server.requests.count == 1)
        try network.set("Metered", .uint32(2))
        #expect(try command.waitForExit(within: .seconds(20)).isSuccess)
        #expect(fixture.content("film.mkv") == server.content && server.requests.last?.rangeStart != nil)
    }

    @Test("a discretionary transfer waits for mains power, which UPower reports")
    func aDiscretionaryTransferFollowsUPower() throws {
        let power = try MockService(
            "upower", name: "org.freedesktop.UPower", path: "/org/freedesktop/UPower", on: bus)
        // Type battery, state discharging, 15 percent, energy, full energy, rate, times, present, icon, no warning.
        try power.mock(
            "SetupDisplayDevice",
            [
                .uint32(2), .uint32(2), .double(15), .double(10), .double(60), .double(5), .int64(7200), .int64(0),
                .bool(true), .string("battery"), .uint32(1),
            ])
        try power.set("OnBattery", .bool(true))
        let server = try ContentServer()
        let program = try fixture.probe(["discretionary", server.address()])
        try fixture.waitForListing("waiting for mains power or a fuller battery")
        #expect(server.requests.isEmpty)
        try power.set("OnBattery", .bool(false))
        #expect(try program.waitForExit(within: .seconds(20)).isSuccess)
        #expect(fixture.content("1") == server.content)
    }
}
