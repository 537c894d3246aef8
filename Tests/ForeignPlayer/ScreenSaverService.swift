import DesktopBus
import SystemCalls

/// What a desktop offers for holding its lock screen back, with a line for each call: org.freedesktop.ScreenSaver at a
/// path, or the portal.
final class ScreenSaverService {
    private let connection: BusConnection
    private var slots: [BusSlot] = []
    private var lastCookie: UInt32 = 40

    init(_ place: String) throws(BusError) {
        connection = try BusConnection()
        let isPortal = place == "portal"
        if isPortal {
            slots.append(try connection.export(BusObject([portal]), at: "/org/freedesktop/portal/desktop"))
            slots.append(try connection.export(BusObject([request]), at: "/org/freedesktop/portal/desktop/request/1"))
        } else {
            slots.append(try connection.export(BusObject([saver]), at: place))
        }
        try connection.requestName(isPortal ? "org.freedesktop.portal.Desktop" : "org.freedesktop.ScreenSaver") {
            isOurs in
            say(isOurs ? "ready" : "the name is taken")
        }
    }

    private var saver: BusInterface {
        BusInterface(
            "org.freedesktop.ScreenSaver",
            methods: [
                .init("Inhibit", [.init("application", "s"), .init("reason", "s")], results: [.init("cookie", "u")]) {
                    [unowned self] values in
                    lastCookie += 1
                    say("Inhibit \(values[0].text ?? "") \(lastCookie)")
                    return [.uint32(lastCookie)]
                },
                .init("UnInhibit", [.init("cookie", "u")]) { values in
                    say("UnInhibit \(values[0].integer ?? -1)")
                    return []
                },
            ])
    }

    private var portal: BusInterface {
        BusInterface(
            "org.freedesktop.portal.Inhibit",
            methods: [
                .init(
                    "Inhibit", [.init("window", "s"), .init("flags", "u"), .init("options", "a{sv}")],
                    results: [.init("handle", "o")]
                ) { values in
                    say("Inhibit \(values[1].integer ?? -1)")
                    return [.objectPath("/org/freedesktop/portal/desktop/request/1")]
                }
            ])
    }

    private var request: BusInterface {
        BusInterface(
            "org.freedesktop.portal.Request",
            methods: [
                .init("Close") { _ in
                    say("Close")
                    return []
                }
            ])
    }

    func run() throws {
        while true {
            var entries = [Poll.Entry(connection.descriptor, connection.events)]
            try Poll.wait(&entries, until: connection.deadline)
            try connection.process()
        }
    }
}
