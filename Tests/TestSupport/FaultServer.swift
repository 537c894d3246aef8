import CLinux
import Glibc
import SystemCalls

/// An HTTP server that sends exactly the bytes of a script, right or wrong, and cuts connections where the script says.
///
/// It listens on the loopback interface. Each connection has a thread, which reads requests and performs the steps that
/// the script returns for them. The server closes all connections when this object is deinitialised.
package final class FaultServer: Sendable {
    /// A received request.
    package struct Request: Sendable {
        /// The number of the request at this server, from 1.
        package let number: Int
        /// The number of the connection, from 1.
        package let connection: Int
        /// The method, such as `GET`.
        package let method: String
        /// The requested path with its query.
        package let path: String
        /// The values of the header fields by their names in lower case.
        package let fields: [String: String]
        /// The body.
        package let body: [UInt8]

        /// The first byte of the range `bytes=N-`; nil if the request has no such range.
        package var rangeStart: Int? {
            guard let range = fields["range"], range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
            return Int(range.dropFirst(6).dropLast())
        }
    }

    /// A step of the response to a request.
    package enum Step: Sendable {
        /// Sends bytes.
        case bytes([UInt8])
        /// Sends one byte after another with a pause between them, in milliseconds, until the client closes the
        /// connection or all bytes are sent.
        case drip([UInt8], milliseconds: Int64)
        /// Waits until the client closes the connection.
        case hold
        /// Waits until ``FaultServer/release()`` is called, or until the client closes the connection.
        case awaitRelease
        /// Closes the connection.
        case close
        /// Resets the connection (TCP RST), so that the client sees an error.
        case reset

        /// Sends the lines of a head, with an empty line after them.
        package static func head(_ lines: String...) -> Step {
            .bytes(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8))
        }
        /// Sends a text.
        package static func text(_ text: String) -> Step { .bytes(Array(text.utf8)) }
    }

    /// Returns the steps of the response to a request. Called on the thread of the connection.
    package typealias Script = @Sendable (Request) -> [Step]

    /// The state that the threads share.
    private struct State: Sendable {
        var requests: [Request] = []
        var connectionCount = 0
        var threads: [NamedThread] = []
    }

    /// The port of the server.
    package let port: Int
    private let state = Monitor(State())
    private let stopEvent: EventDescriptor
    private let releaseEvent: EventDescriptor
    private let listenerThread: NamedThread

    /// Starts a server.
    package init(_ script: @escaping Script) throws(SystemCallError) {
        let (stopEvent, releaseEvent, state) = (try EventDescriptor(), try EventDescriptor(), self.state)
        (self.stopEvent, self.releaseEvent) = (stopEvent, releaseEvent)
        let listener = SharedDescriptor(
            FileDescriptor(owning: try systemCall("socket") { clinux_nonblocking_stream_socket(AF_INET) }))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var addressSize = socklen_t(MemoryLayout<sockaddr_in>.size)
        try systemCall("bind") {
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener.raw, $0, addressSize) }
            }
        }
        try systemCall("listen") { listen(listener.raw, 64) }
        try systemCall("getsockname") {
            withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener.raw, $0, &addressSize) }
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        let events = FaultConnection.Events(stop: stopEvent, release: releaseEvent)
        listenerThread = try NamedThread("fault server") {
            while true {
                var entries = [Poll.Entry(listener.raw), Poll.Entry(stopEvent.raw)]
                _ = try? Poll.wait(&entries, until: nil)
                if entries[1].isReady { return }
                let number = clinux_accept_cloexec(listener.raw)
                guard number >= 0 else { continue }
                let socket = SharedDescriptor(FileDescriptor(owning: number))
                let connection = state.withLock { state in
                    state.connectionCount += 1
                    return state.connectionCount
                }
                let thread = try? NamedThread("fault client") {
                    var faultConnection = FaultConnection(socket, number: connection, events)
                    faultConnection.run(script) { request in
                        state.withLock { state in
                            let numbered = request(state.requests.count + 1)
                            state.requests.append(numbered)
                            return numbered
                        }
                    }
                }
                if let thread { state.withLock { $0.threads.append(thread) } }
            }
        }
    }

    deinit {
        stopEvent.signal()
        listenerThread.join()
        for thread in state.withLock({ $0.threads }) { thread.join() }
    }

    /// The address of the server, without a slash at its end.
    package var address: String { "http://127.0.0.1:\(port)" }

    /// The requests that were received so far.
    package var requests: [Request] { state.withLock { $0.requests } }

    /// Ends the step ``Step/awaitRelease`` of all connections, now and later.
    package func release() { releaseEvent.signal() }
}
