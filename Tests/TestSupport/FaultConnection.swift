import CLinux
import Glibc
import SystemCalls

/// One connection of a ``FaultServer``: reads requests and performs the steps of their responses.
struct FaultConnection {
    /// The events that end waits.
    struct Events: Sendable {
        /// Signalled when the server stops.
        let stop: EventDescriptor
        /// Signalled when steps that wait are released.
        let release: EventDescriptor
    }

    private let socket: SharedDescriptor
    private let number: Int
    private let events: Events
    /// Received bytes that have not been used.
    private var received: [UInt8] = []

    init(_ socket: SharedDescriptor, number: Int, _ events: Events) {
        (self.socket, self.number, self.events) = (socket, number, events)
        var isEnabled: Int32 = 1
        // Without TCP_NODELAY, single bytes would be delayed.
        setsockopt(socket.raw, Int32(IPPROTO_TCP), TCP_NODELAY, &isEnabled, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Serves requests until the connection ends.
    ///
    /// - Parameters:
    ///   - script: The script of the server.
    ///   - record: Numbers and records a request.
    mutating func run(_ script: FaultServer.Script, record: ((Int) -> FaultServer.Request) -> FaultServer.Request) {
        while let request = readRequest() {
            for step in script(record(request)) where !perform(step) { return }
        }
    }

    /// Performs a step. Returns false if the connection has ended.
    private func perform(_ step: FaultServer.Step) -> Bool {
        switch step {
        case .bytes(let bytes): return send(bytes[...])
        case .drip(let bytes, let milliseconds):
            for index in bytes.indices {
                guard send(bytes[index...index]), !waitForPeer(nanoseconds: milliseconds * 1_000_000) else {
                    return false
                }
            }
            return true
        case .hold:
            _ = waitForPeer(nanoseconds: nil)
            return false
        case .awaitRelease:
            return !waitForPeer(nanoseconds: nil, endsWithRelease: true)
        case .close:
            shutdown(socket.raw, Int32(SHUT_RDWR))
            return false
        case .reset:
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(socket.raw, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
            return false
        }
    }

    /// Sends bytes; returns false if the client has closed the connection or the server stops.
    private func send(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            var entries = [Poll.Entry(socket.raw, .writable), Poll.Entry(events.stop.raw)]
            _ = try? Poll.wait(&entries, until: nil)
            if entries[1].isReady { return false }
            let count = rest.withUnsafeBytes { clinux_send_now(socket.raw, $0.baseAddress, $0.count) }
            if count < 0, errno == EAGAIN { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Waits for a time, for a release, or until the client closes the connection.
    ///
    /// - Returns: True if the connection has ended.
    private func waitForPeer(nanoseconds: Int64?, endsWithRelease: Bool = false) -> Bool {
        let deadline = nanoseconds.map { MonotonicTime.now + $0 }
        var entries = [Poll.Entry(socket.raw, [.readable]), Poll.Entry(events.stop.raw)]
        if endsWithRelease { entries.append(Poll.Entry(events.release.raw)) }
        guard (try? Poll.wait(&entries, until: deadline)) == true else { return false }
        return entries[0].isReady || entries[1].isReady
    }

    /// Reads the next request; nil if the connection has ended.
    private mutating func readRequest() -> ((Int) -> FaultServer.Request)? {
        let end = Array("\r\n\r\n".utf8)
        var headEnd = received.firstRange(of: end)
        while headEnd == nil {
            guard receive() else { return nil }
            headEnd = received.firstRange(of: end)
        }
        guard let headEnd else { return nil }
        let lines = String(decoding: received[..<headEnd.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let words = (lines.first ?? "").split(separator: " ")
        guard words.count == 3 else { return nil }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            let value = parts.count == 2 ? parts[1].drop { $0 == " " } : ""
            fields[parts[0].lowercased()] = String(value)
        }
        received.removeSubrange(..<headEnd.upperBound)
        let bodyLength = fields["content-length"].flatMap { Int($0) } ?? 0
        while received.count < bodyLength { guard receive() else { return nil } }
        let body = Array(received.prefix(bodyLength))
        received.removeFirst(bodyLength)
        let (connection, requestFields) = (number, fields)
        let (method, path) = (String(words[0]), String(words[1]))
        return { number in
            FaultServer.Request(
                number: number, connection: connection, method: method, path: path, fields: requestFields,
                body: body)
        }
    }

    /// Receives bytes; returns false if the connection has ended or the server stops.
    private mutating func receive() -> Bool {
        var entries = [Poll.Entry(socket.raw), Poll.Entry(events.stop.raw)]
        _ = try? Poll.wait(&entries, until: nil)
        if entries[1].isReady { return false }
        let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = max(0, recv(socket.raw, buffer.baseAddress, buffer.count, 0))
        }
        received += bytes
        return !bytes.isEmpty
    }
}
