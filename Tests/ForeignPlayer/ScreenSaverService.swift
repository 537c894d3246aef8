import DesktopBus
import Foundation
import SystemCalls

/// A simulated desktop service through which players inhibit the lock screen: `org.freedesktop.ScreenSaver` at a path,
/// or the inhibit portal of the desktop. Writes a line to standard output for each method call.
final class ScreenSaverService {
    private let connection: BusConnection
    /// The registrations that keep the objects exported on the bus.
    private var slots: [BusSlot] = []
    /// The cookie that the last `Inhibit` call returned; `UnInhibit` receives it.
    private var lastCookie: UInt32 = 40
    /// The delay between a call of `Inhibit` and its reply, in seconds.
    private let replyDelay: Double

    init(_ serviceObjectPath: String, replyDelay: Double) throws(BusError) {
        self.replyDelay = replyDelay
        connection = try BusConnection()
        let isPortal = serviceObjectPath == "portal"
        if isPortal {
            slots.append(
                try connection.export(BusObject([inhibitPortalInterface]), at: "/org/freedesktop/portal/desktop"))
            slots.append(
                try connection.export(BusObject([requestInterface]), at: "/org/freedesktop/portal/desktop/request/1"))
        } else {
            slots.append(try connection.export(BusObject([screenSaverInterface]), at: serviceObjectPath))
        }
        try connection.requestName(isPortal ? "org.freedesktop.portal.Desktop" : "org.freedesktop.ScreenSaver") {
            ownsName in
            writeLine(ownsName ? "ready" : "the name is taken")
        }
    }

    /// The interface `org.freedesktop.ScreenSaver`.
    private var screenSaverInterface: BusInterface {
        BusInterface(
            "org.freedesktop.ScreenSaver",
            methods: [
                .init("Inhibit", [.init("application", "s"), .init("reason", "s")], results: [.init("cookie", "u")]) {
                    [unowned self] values in
                    lastCookie += 1
                    writeLine("Inhibit \(values[0].text ?? "") \(lastCookie)")
                    Thread.sleep(forTimeInterval: replyDelay)
                    return [.uint32(lastCookie)]
                },
                .init("UnInhibit", [.init("cookie", "u")]) { values in
                    writeLine("UnInhibit \(values[0].integer ?? -1)")
                    return []
                },
            ])
    }

    /// The interface `org.freedesktop.portal.Inhibit`.
    private var inhibitPortalInterface: BusInterface {
        BusInterface(
            "org.freedesktop.portal.Inhibit",
            methods: [
                .init(
                    "Inhibit", [.init("window", "s"), .init("flags", "u"), .init("options", "a{sv}")],
                    results: [.init("handle", "o")]
                ) { values in
                    writeLine("Inhibit \(values[1].integer ?? -1)")
                    return [.objectPath("/org/freedesktop/portal/desktop/request/1")]
                }
            ])
    }

    /// The interface of the portal's request object, whose `Close` ends the inhibition.
    private var requestInterface: BusInterface {
        BusInterface(
            "org.freedesktop.portal.Request",
            methods: [
                .init("Close") { _ in
                    writeLine("Close")
                    return []
                }
            ])
    }

    /// Processes bus messages until the bus exits.
    func run() throws {
        while true {
            var entries = [Poll.Entry(connection.descriptor, connection.events)]
            try Poll.wait(&entries, until: connection.deadline)
            try connection.process()
        }
    }
}
