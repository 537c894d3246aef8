import Glibc
import SystemCalls

/// A client that waits for what it reads, ten seconds at most.
final class IPCTestClient {
    struct Failure: Error { let what: String }
    private let descriptor: FileDescriptor
    private var unread: [UInt8] = []

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
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try systemCall("send") {
                rest.withUnsafeBytes { Glibc.send(descriptor.raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            }
            rest = rest.dropFirst(count)
        }
    }

    func send(_ line: String) throws { try send(Array((line + "\n").utf8)) }

    /// Says that nothing more will be sent.
    func end() { shutdown(descriptor.raw, Int32(SHUT_WR)) }

    /// The next line; nil at the end.
    func line() throws -> String? {
        while true {
            if let end = unread.firstIndex(of: 10) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            guard try receive() > 0 else { return nil }
        }
    }

    /// Reads to the end and answers how many bytes that were.
    func countToEnd() throws -> Int {
        var total = unread.count
        unread = []
        while case let count = try receive(), count > 0 {
            total += count
            unread = []
        }
        return total
    }

    func ask(_ line: String) throws -> String? {
        try send(line)
        return try self.line()
    }

    private func receive() throws -> Int {
        guard try Poll.waitReadable(descriptor.raw, until: MonotonicTime.now + 10 * MonotonicTime.nanosecondsPerSecond)
        else {
            throw Failure(what: "nothing came")
        }
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor.raw, &bytes, bytes.count, 0)
        // A server that hangs up on unread requests resets the connection: an end as well.
        guard count > 0 else { return 0 }
        unread += bytes[..<count]
        return count
    }
}
