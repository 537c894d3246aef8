import Glibc

/// Where the user's session bus and the system's bus listen.
package enum BusAddress {
    /// As the environment has it; nil: there is no session.
    package static var session: String? {
        func value(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        return value("DBUS_SESSION_BUS_ADDRESS") ?? value("XDG_RUNTIME_DIR").map { ofSocket($0 + "/bus") }
    }

    /// Where the system's bus listens.
    package static var system: String {
        let named = getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        return named ?? ofSocket("/run/dbus/system_bus_socket")
    }

    /// A socket's path as an address: bytes that mean something in one are written as numbers.
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
