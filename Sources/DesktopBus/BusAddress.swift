import Glibc

/// The addresses of the user's session bus and of the system bus.
package enum BusAddress {
    /// The address of the session bus, from the environment variables; nil if they name no session bus.
    package static var session: String? {
        func environmentValue(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        return environmentValue("DBUS_SESSION_BUS_ADDRESS")
            ?? environmentValue("XDG_RUNTIME_DIR").map { ofSocket($0 + "/bus") }
    }

    /// The address of the system bus: the value of `DBUS_SYSTEM_BUS_ADDRESS`, or the standard socket if it is not set.
    package static var system: String {
        let address = getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        return address ?? ofSocket("/run/dbus/system_bus_socket")
    }

    /// Returns the D-Bus address of the socket at `path`. Percent-encodes every byte that the D-Bus specification does
    /// not allow unescaped.
    package static func ofSocket(_ path: String) -> String {
        let hexDigits = Array("0123456789abcdef".utf8)
        var address = Array("unix:path=".utf8)
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                address.append(byte)
            default: address += [UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
            }
        }
        return String(decoding: address, as: UTF8.self)
    }
}
