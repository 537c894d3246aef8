import Glibc
import SystemCalls
import TestSupport

/// A simulated X server that hangs: it listens on the loopback interface, accepts connections and never replies.
final class HangingXServer {
    /// The number of the X display, such as 100 in `127.0.0.1:100`.
    let display: Int
    private let listener: SharedDescriptor

    init() throws {
        for display in 100..<400 {
            let socket = SharedDescriptor(
                FileDescriptor(
                    owning: try systemCall("socket") {
                        Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
                    }))
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(6000 + display).bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let isBound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket.raw, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            // The kernel completes connections even if the process does not call `accept`.
            guard isBound, listen(socket.raw, 8) == 0 else { continue }
            (self.display, listener) = (display, socket)
            return
        }
        throw TestFailure("no TCP port of a display is free")
    }
}
