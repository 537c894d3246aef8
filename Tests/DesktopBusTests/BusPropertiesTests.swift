import DesktopBus
import SystemCalls
import TestSupport
import Testing

@Suite struct BusPropertiesTests {
    /// The properties of the test object.
    private final class Thing {
        var level: BusValue = .uint32(1)
        var name = "first"
    }

    private static let properties = "org.freedesktop.DBus.Properties"
    private let fixture: BusTestFixture
    private let thing = Thing()

    init() throws { fixture = try BusTestFixture() }

    /// Exports the test object with an unwatched property beside the watched ones.
    private func export() throws -> BusSlot {
        try fixture.secondConnection.export(
            BusObject([
                BusInterface(
                    BusTestFixture.interface,
                    properties: [
                        .init("Level", "u", { [thing] in thing.level }), .init("Other", "s") { .string("other") },
                        .init("Name", "s") { [thing] in .string(thing.name) },
                    ])
            ]), at: BusTestFixture.path)
    }

    private func watch(onChange: @escaping () -> Void = {}) throws -> BusProperties {
        try BusProperties(
            ["Level", "Name"],
            of: .init(service: "org.example.Other", path: BusTestFixture.path, interface: BusTestFixture.interface),
            on: fixture.firstConnection, onChange: onChange)
    }

    private func emit(_ changes: [String: BusValue], unsent: [String] = [], on connection: BusConnection) throws {
        try connection.emit(
            "PropertiesChanged", of: Self.properties, at: BusTestFixture.path,
            [.string(BusTestFixture.interface), .dictionary(changes), .strings(unsent)])
    }

    @Test func onlyTheNamedPropertiesAreRead() throws {
        let slot = try export(), watched = try watch()
        try fixture.processMessages { !watched.values.isEmpty }
        #expect(watched.values == ["Level": .uint32(1), "Name": .string("first")])
        withExtendedLifetime(slot) {}
    }

    @Test func aChangeThatASignalCarriesArrives() throws {
        let slot = try export(), watched = try watch()
        try fixture.processMessages { !watched.values.isEmpty }
        try emit(["Level": .uint32(2), "More": .bool(true)], on: fixture.secondConnection)
        try fixture.processMessages { watched.values["Level"] == .uint32(2) }
        #expect(watched.values == ["Level": .uint32(2), "Name": .string("first")])
        withExtendedLifetime(slot) {}
    }

    @Test func aValueThatASignalDoesNotCarryIsReadAgain() throws {
        let slot = try export(), watched = try watch()
        try fixture.processMessages { !watched.values.isEmpty }
        thing.name = "second"
        try emit([:], unsent: ["Name"], on: fixture.secondConnection)
        try fixture.processMessages { watched.values["Name"] == .string("second") }
        withExtendedLifetime(slot) {}
    }

    @Test func signalsOfOtherProgramsAreIgnored() throws {
        let slot = try export(), watched = try watch(), other = try BusConnection(address: fixture.bus.address)
        try fixture.processMessages { !watched.values.isEmpty }
        try emit(["Level": .uint32(7)], on: other)
        // When the bus has answered a later call of the other program, it has passed on the signal.
        var hasAnswered = false
        try other.call(.init(bus: "GetId")) { _ in hasAnswered = true }
        let deadline = Deadline.after(.seconds(10))
        while !hasAnswered, MonotonicTime.now < deadline { try other.process() }
        try emit(["Name": .string("later")], on: fixture.secondConnection)
        try fixture.processMessages { watched.values["Name"] == .string("later") }
        #expect(hasAnswered && watched.values["Level"] == .uint32(1))
        withExtendedLifetime(slot) {}
    }

    @Test func aMissingServiceHasNoValuesUntilItStarts() throws {
        let fixture = fixture
        let watched = try BusProperties(
            ["Level"],
            of: .init(service: "org.example.Late", path: BusTestFixture.path, interface: BusTestFixture.interface),
            on: fixture.firstConnection, onChange: {})
        let slot = try export()
        var isOwner = false
        try fixture.secondConnection.requestName("org.example.Late") { isOwner = $0 }
        try fixture.processMessages { isOwner && !watched.values.isEmpty }
        try fixture.secondConnection.call(.init(bus: "ReleaseName", [.string("org.example.Late")]))
        try fixture.processMessages { watched.values.isEmpty }
        withExtendedLifetime(slot) {}
    }

    @Test func theHandlerIsCalledForChangesOnly() throws {
        var count = 0
        let slot = try export(), watched = try watch { count += 1 }
        try fixture.processMessages { count == 1 }
        try emit(["Level": .uint32(1), "Unwatched": .bool(true)], on: fixture.secondConnection)
        try emit(["Level": .uint32(3)], on: fixture.secondConnection)
        try fixture.processMessages { watched.values["Level"] == .uint32(3) }
        #expect(count == 2)
        withExtendedLifetime(slot) {}
    }
}
