import DesktopBus
import Testing

@Suite struct BusCallTests {
    @Test("A call to the bus daemon uses its name, path and interface")
    func methodCallToTheBusDaemonUsesItsNamePathAndInterface() {
        let call = BusConnection.Call(bus: "GetNameOwner", [.string("a.b")])
        #expect(call.destination == "org.freedesktop.DBus" && call.interface == "org.freedesktop.DBus")
        #expect(call.path == "/org/freedesktop/DBus")
        #expect(call.member == "GetNameOwner" && call.arguments == [.string("a.b")])
    }

    @Test("A connection without an address fails because there is no session bus")
    func connectionWithoutAnAddressFails() {
        let error = #expect(throws: BusError.self) { try BusConnection(address: nil) }
        #expect(error?.name == BusError.noServer)
    }
}
