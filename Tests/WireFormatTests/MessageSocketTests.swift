import Glibc
import SystemCalls
import Testing

@testable import WireFormat

@Suite struct MessageSocketTests {
    /// Returns the received message; nil if no message was received.
    private func message(_ received: MessageSocket.ReceiveResult) -> MessageSocket.ReceivedMessage? {
        if case .message(let incoming) = received { return incoming }
        return nil
    }

    /// Returns whether the peer has closed the connection.
    private func isClosed(_ received: MessageSocket.ReceiveResult) -> Bool {
        if case .closed = received { true } else { false }
    }
    /// Returns whether the connection is open and no message has arrived.
    private func hasNoMessage(_ received: MessageSocket.ReceiveResult) -> Bool {
        if case .nothing = received { true } else { false }
    }

    @Test func messagesAreReceivedSeparatelyAndInOrder() throws {
        let (a, b) = try MessageSocket.pair()
        try a.send([1])
        try a.send([2, 3])
        try a.send([UInt8](repeating: 9, count: WireLimits.messageBytes))
        #expect(message(b.receive())?.bytes == [1])
        #expect(message(b.receive())?.bytes == [2, 3])
        #expect(message(b.receive())?.bytes.count == WireLimits.messageBytes)
        #expect(hasNoMessage(b.receive()))
    }

    @Test("the last message of a peer that closes without reading everything is received")
    func lastMessageOfAClosedPeerIsReceived() throws {
        // The peer's socket closes when this function returns.
        func socketWithAClosedPeer() throws -> MessageSocket {
            let (a, b) = try MessageSocket.pair()
            try b.send([1])
            try a.send([2])
            return a
        }
        let a = try socketWithAClosedPeer()
        #expect(message(a.receive())?.bytes == [1])
        #expect(isClosed(a.receive()))
    }

    @Test func memoryFileSentOverTheSocketSharesItsMemory() throws {
        let (a, b) = try MessageSocket.pair()
        let file = try MemoryFile(name: "test", size: 4096)
        let mine = try file.map(writable: true)
        try a.send([7], descriptors: [file.descriptor.raw])
        let incoming = try #require(message(b.receive()))
        #expect(incoming.bytes == [7] && incoming.descriptors.count == 1)
        let number = try #require(incoming.descriptors.first).raw
        #expect(number != file.descriptor.raw && fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
        let received = try MemoryFile(
            received: try FileDescriptor(duplicating: number), minimumSize: 4096, maximumSize: 4096)
        let theirs = try received.map(writable: false)
        mine.base.storeBytes(of: 0xC0FFEE, toByteOffset: 128, as: UInt32.self)
        #expect(theirs.base.load(fromByteOffset: 128, as: UInt32.self) == 0xC0FFEE)
    }

    @Test func theMaximumNumberOfDescriptorsArrivesInOrder() throws {
        let (a, b) = try MessageSocket.pair()
        var events: [EventDescriptor] = []
        for _ in 0..<WireLimits.descriptors { events.append(try EventDescriptor()) }
        try a.send([1], descriptors: events.map(\.raw))
        let incoming = try #require(message(b.receive()))
        #expect(incoming.descriptors.count == WireLimits.descriptors)
        for (index, descriptor) in incoming.descriptors.enumerated() {
            try EventDescriptor(received: try FileDescriptor(duplicating: descriptor.raw)).signal()
            #expect(events.map { $0.drain() } == events.indices.map { $0 == index })
        }
    }

    @Test func anOverlongMessageEndsTheConnection() throws {
        let (a, b) = try MessageSocket.pair()
        try a.send([UInt8](repeating: 0, count: WireLimits.messageBytes + 1))
        #expect(isClosed(b.receive()))
    }

    @Test func aShutdownIsDetectedWhenSendingAndWhenReceiving() throws {
        let (a, b): (MessageSocket, MessageSocket)
        do {
            let (first, second) = try MessageSocket.pair()
            try first.send([1])
            first.shutdown()
            (a, b) = (first, second)
        }
        #expect(message(b.receive())?.bytes == [1], "a message sent before the shutdown arrives")
        #expect(isClosed(b.receive()))
        #expect(throws: SystemCallError.self) { try b.send([1]) }
        #expect(isClosed(a.receive()))
    }

    @Test func sendingToAFullQueueFailsInsteadOfWaiting() throws {
        let (a, b) = try MessageSocket.pair()
        var sent = 0
        var failure: SystemCallError?
        while failure == nil, sent < 100_000 {
            do { try a.send([UInt8](repeating: 1, count: 4096)) } catch { failure = error }
            sent += 1
        }
        #expect(failure?.number == EAGAIN)
        #expect(message(b.receive())?.bytes.count == 4096)
    }

    @Test func peerCredentialsAreThoseOfThisProcess() throws {
        let (a, b) = try MessageSocket.pair()
        #expect(a.peer?.processID == getpid() && b.peer?.userID == getuid())
    }
}
