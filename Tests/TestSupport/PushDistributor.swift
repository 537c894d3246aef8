import DesktopBus

/// A distributor of notifications (UnifiedPush, version 1) on a bus of the test.
package final class PushDistributor {
    package let connection: BusConnection
    /// The answer to a registration: a result and a reason.
    package var answer = ["REGISTRATION_SUCCEEDED", ""]
    /// The address that a registered token gets at once; nil for none.
    package var endpoint: String?
    /// The arguments of the registrations, and the tokens that were unregistered.
    package private(set) var registered: [[String]] = [], unregistered: [String] = []
    private var slot: BusSlot?

    /// Starts a distributor under the name `org.unifiedpush.Distributor.NAME`.
    package init(_ name: String, on bus: SessionBus) throws {
        connection = try BusConnection(address: bus.address)
        let register = BusInterface.Method(
            "Register", [.init("service", "s"), .init("token", "s"), .init("description", "s")],
            results: [.init("result", "s"), .init("reason", "s")]
        ) { [unowned self] arguments throws(BusError) in
            let texts = arguments.compactMap(\.text)
            registered.append(texts)
            if let endpoint { try call("NewEndpoint", [.string(texts[1]), .string(endpoint)]) }
            return answer.map { .string($0) }
        }
        let unregister = BusInterface.Method("Unregister", [.init("token", "s")]) { [unowned self] arguments in
            unregistered += arguments.compactMap(\.text)
            return []
        }
        slot = try connection.export(
            BusObject([BusInterface("org.unifiedpush.Distributor1", methods: [register, unregister])]),
            at: "/org/unifiedpush/Distributor")
        try connection.requestName("org.unifiedpush.Distributor." + name) { _ in }
    }

    /// Calls a method of the service, which the bus starts if necessary.
    ///
    /// - Parameter onAnswer: Receives whether the call was accepted.
    package func call(
        _ member: String, _ arguments: [BusValue], onAnswer: @escaping (Bool) -> Void = { _ in }
    ) throws(BusError) {
        let call = BusConnection.Call(
            to: "org.swiftplay.Background", path: "/org/unifiedpush/Connector",
            interface: "org.unifiedpush.Connector1", member, arguments)
        try connection.call(call, startsService: true, timeout: 60_000_000_000) { result in
            onAnswer((try? result.get()) != nil)
        }
    }
}

/// The notification server of a desktop (`org.freedesktop.Notifications`) on a bus of the test.
package final class NotificationServer {
    package let connection: BusConnection
    /// The arguments of the banners that were to be shown.
    package private(set) var received: [[BusValue]] = []
    private var slot: BusSlot?

    /// Starts a server, and waits until it owns its name.
    package init(on bus: SessionBus) throws {
        connection = try BusConnection(address: bus.address)
        let types = ["s", "u", "s", "s", "s", "as", "a{sv}", "i"]
        let notify = BusInterface.Method(
            "Notify", types.enumerated().map { .init("argument\($0)", $1) }, results: [.init("id", "u")]
        ) { [unowned self] arguments in
            received.append(arguments)
            return [.uint32(UInt32(received.count))]
        }
        slot = try connection.export(
            BusObject([BusInterface("org.freedesktop.Notifications", methods: [notify])]),
            at: "/org/freedesktop/Notifications")
        var isOwner = false
        try connection.requestName("org.freedesktop.Notifications") { isOwner = $0 }
        try BusLoop.run([connection]) { isOwner }
    }

    /// The program, the title and the body of each banner.
    package var texts: [[String?]] { received.map { [$0[0].text, $0[3].text, $0[4].text] } }
}
