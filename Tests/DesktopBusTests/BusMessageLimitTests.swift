import SystemCalls
import TestSupport
import Testing

@testable import DesktopBus

/// Tests messages of other programs that exceed a limit, and calls that D-Bus does not allow.
@Suite struct BusMessageLimitTests {
    /// Returns a value inside as many variants as `depth` states.
    private func nested(_ depth: Int) -> BusValue { (0..<depth).reduce(.byte(1)) { value, _ in .variant(value) } }

    /// Emits signals with these values, and returns the values of the received signals.
    private func received(_ values: [[BusValue]]) throws -> [[BusValue]] {
        let fixture = try BusTestFixture()
        var received: [[BusValue]] = []
        let slot = try fixture.firstConnection.watch("type='signal',interface='\(BusTestFixture.interface)'") {
            received.append($0.arguments)
        }
        // The bus has registered the signal match once it has answered a later method call.
        #expect(throws: BusError.self) { try fixture.callMethod("Nothing").get() }
        for value in values + [[.string("last")]] {
            try fixture.secondConnection.emit("Happened", of: BusTestFixture.interface, at: BusTestFixture.path, value)
        }
        try fixture.processMessages { received.last == [.string("last")] }
        withExtendedLifetime(slot) {}
        return received.dropLast()
    }

    @Test("a signal with too deeply nested values is skipped, and later signals are received")
    func tooDeeplyNestedSignalIsSkipped() throws {
        let values = try received([[nested(40)], [nested(31)], [.int32(7)]])
        #expect(values == [[nested(31)], [.int32(7)]])
    }

    @Test("a signal with too many values is skipped")
    func signalWithTooManyValuesIsSkipped() throws {
        let manyNumbers = BusValue.array(of: "n", [BusValue](repeating: .int16(1), count: 65_536))
        let fewerNumbers = BusValue.array(of: "n", [BusValue](repeating: .int16(1), count: 65_535))
        let values = try received([[manyNumbers], [fewerNumbers]])
        #expect((values == [[fewerNumbers]]) as Bool)
    }

    @Test("numbers without a finite value are received unchanged")
    func numbersThatAreNotFiniteAreReceived() throws {
        let values = try received([[.double(.infinity)], [.double(-.infinity)], [.double(.nan)], [.double(-0.0)]])
        #expect(values.prefix(2) == [[.double(.infinity)], [.double(-.infinity)]])
        guard case .double(let notANumber)? = values[2].first, case .double(let zero)? = values[3].first else {
            throw TestFailure("the values are \(values)")
        }
        #expect(notANumber.isNaN && zero.sign == .minus)
    }

    @Test("changed properties are emitted with the interface and the new values")
    func changedPropertiesAreEmitted() throws {
        let fixture = try BusTestFixture()
        var received: [BusValue]?
        let slot = try fixture.firstConnection.watch("type='signal',member='PropertiesChanged'") {
            received = $0.arguments
        }
        #expect(throws: BusError.self) { try fixture.callMethod("Nothing").get() }
        let changes: [String: BusValue] = ["Volume": .double(0.5), "Shuffle": .bool(true)]
        try fixture.secondConnection.emitChanges(changes, of: BusTestFixture.interface, at: BusTestFixture.path)
        try fixture.processMessages { received != nil }
        #expect(received == [.string(BusTestFixture.interface), .dictionary(changes), .strings([])])
        withExtendedLifetime(slot) {}
    }

    @Test("names, paths and texts that D-Bus does not allow are errors, and the connection stays usable")
    func invalidNamesAreErrors() throws {
        let fixture = try BusTestFixture(), connection = fixture.firstConnection
        let path = BusTestFixture.path, interface = BusTestFixture.interface
        func callError(_ call: BusConnection.Call) -> BusError? {
            do throws(BusError) {
                try connection.call(call)
                return nil
            } catch { return error }
        }
        #expect(callError(.init(to: "no name", path: path, interface: interface, "A")) != nil)
        #expect(callError(.init(to: "a.b", path: "no/path", interface: interface, "A")) != nil)
        #expect(callError(.init(to: "a.b", path: path, interface: "none", "A")) != nil)
        #expect(callError(.init(to: "a.b", path: path, interface: interface, "A.B")) != nil)
        #expect(callError(.init(to: "a.b", path: path, interface: interface, "A", [.objectPath("a")])) != nil)
        #expect(callError(.init(to: "a.b", path: path, interface: interface, "A", [.signature("(")])) != nil)
        #expect(throws: BusError.self) { try connection.emit("No member", of: interface, at: path, []) }
        #expect(throws: BusError.self) { _ = try connection.watch("no rule") { _ in } }
        #expect(throws: BusError.self) {
            // The elements of an array must have the stated type.
            try connection.emit("Happened", of: interface, at: path, [.array(of: "s", [.int32(1)])])
        }
        let answer = try fixture.callMethod("Nothing")
        #expect(throws: BusError.self) { try answer.get() }
    }
}
