import CLinux
import Glibc
import SystemCalls

/// A simulated X server that hangs: a listening socket at the loopback address of an X display, which accepts
/// connections and never sends a reply.
package final class UnresponsiveXServer: Sendable {
    /// The name of the X display, such as `127.0.0.1:200`.
    package let name: String
    private let listener: FileDescriptor

    package init() throws {
        let listener = FileDescriptor(
            owning: try systemCall("socket") {
                socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            })
        // X display N uses TCP port 6000 + N.
        for number in 200..<2000 {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(UInt16(6000 + number).bigEndian)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let bindResult = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener.raw, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard bindResult == 0 else { continue }
            try systemCall("listen") { listen(listener.raw, 16) }
            self.listener = listener
            name = "127.0.0.1:\(number)"
            return
        }
        throw TestFailure("all tried ports of X displays are in use")
    }
}
