import Glibc
import SystemCalls

/// A client of the player's IPC socket that waits up to ten seconds for each read.
final class IPCTestClient {
    struct Failure: Error { let message: String }
    private let descriptor: FileDescriptor
    /// The received bytes that ``receiveLine()`` has not returned yet.
    private var unreadBytes: [UInt8] = []

    init(_ path: String) throws {
        descriptor = FileDescriptor(
            owning: try systemCall("socket") { socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0) })
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        try systemCall("connect") {
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor.raw, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
    }

    func send(_ bytes: [UInt8]) throws {
        var remainingBytes = bytes[...]
        while !remainingBytes.isEmpty {
            let count = try systemCall("send") {
                remainingBytes.withUnsafeBytes {
                    Glibc.send(descriptor.raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
            }
            remainingBytes = remainingBytes.dropFirst(count)
        }
    }

    func send(_ line: String) throws { try send(Array((line + "\n").utf8)) }

    /// Closes the sending direction of the connection; the client can still read replies.
    func closeSendingDirection() { shutdown(descriptor.raw, Int32(SHUT_WR)) }

    /// Returns the next line that the server sends; nil at the end of the connection.
    func receiveLine() throws -> String? {
        while true {
            if let end = unreadBytes.firstIndex(of: 10) {
                defer { unreadBytes.removeFirst(end + 1) }
                return String(decoding: unreadBytes[..<end], as: UTF8.self)
            }
            guard try receive() > 0 else { return nil }
        }
    }

    /// Reads to the end of the connection and returns the number of bytes read.
    func countRemainingBytes() throws -> Int {
        var total = unreadBytes.count
        unreadBytes = []
        while case let count = try receive(), count > 0 {
            total += count
            unreadBytes = []
        }
        return total
    }

    /// Sends a line to the server and returns the next line that the server sends.
    func request(_ line: String) throws -> String? {
        try send(line)
        return try self.receiveLine()
    }

    /// Receives the bytes that have arrived and returns their number; 0 at the end of the connection.
    private func receive() throws -> Int {
        guard try Poll.waitReadable(descriptor.raw, until: MonotonicTime.now + 10 * MonotonicTime.nanosecondsPerSecond)
        else {
            throw Failure(message: "no data arrived within ten seconds")
        }
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor.raw, &bytes, bytes.count, 0)
        // A server that closes while requests are unread resets the connection, which also counts as the end.
        guard count > 0 else { return 0 }
        unreadBytes += bytes[..<count]
        return count
    }
}
