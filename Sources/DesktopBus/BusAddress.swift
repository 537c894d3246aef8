import Glibc

/// The addresses of the user's session bus and of the system bus.
package enum BusAddress {
    /// The session bus address from the environment; nil if there is no session.
    package static var session: String? {
        func value(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        return value("DBUS_SESSION_BUS_ADDRESS") ?? value("XDG_RUNTIME_DIR").map { ofSocket($0 + "/bus") }
    }

    /// The system bus address: `DBUS_SYSTEM_BUS_ADDRESS`, else the standard socket.
    package static var system: String {
        let named = getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        return named ?? ofSocket("/run/dbus/system_bus_socket")
    }

    /// Returns the D-Bus address of the socket at `path`. Percent-encodes every byte that the D-Bus specification does
    /// not allow unescaped.
    package static func ofSocket(_ path: String) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var address = Array("unix:path=".utf8)
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                address.append(byte)
            default: address += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: address, as: UTF8.self)
    }
}
