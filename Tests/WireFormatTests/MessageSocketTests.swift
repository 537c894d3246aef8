import Glibc
import SystemCalls
import Testing

@testable import WireFormat

@Suite struct MessageSocketTests {
    /// Returns the received message; nil if no message was received.
    private func message(_ result: MessageSocket.ReceiveResult) -> MessageSocket.ReceivedMessage? {
        if case .message(let message) = result { return message }
        return nil
    }

    /// Returns whether the peer has closed the connection.
    private func isClosed(_ result: MessageSocket.ReceiveResult) -> Bool {
        if case .closed = result { true } else { false }
    }
    /// Returns whether the connection is open and no message has arrived.
    private func hasNoMessage(_ result: MessageSocket.ReceiveResult) -> Bool {
        if case .nothing = result { true } else { false }
    }

    @Test func aLargerBufferTakesMessagesThatThePeerDoesNotRead() throws {
        let (sender, receiver) = try MessageSocket.pair()
        try sender.setSendBuffer(1 << 20)
        for _ in 0..<8 { try sender.send([UInt8](repeating: 1, count: 45_000)) }
        withExtendedLifetime(receiver) {}
    }

    @Test func messagesAreReceivedSeparatelyAndInOrder() throws {
        let (sender, receiver) = try MessageSocket.pair()
        try sender.send([1])
        try sender.send([2, 3])
        try sender.send([UInt8](repeating: 9, count: WireLimits.messageBytes))
        #expect(message(receiver.receive())?.bytes == [1])
        #expect(message(receiver.receive())?.bytes == [2, 3])
        #expect(message(receiver.receive())?.bytes.count == WireLimits.messageBytes)
        #expect(hasNoMessage(receiver.receive()))
    }

    @Test("the last message of a peer that closes without reading everything is received")
    func lastMessageOfAClosedPeerIsReceived() throws {
        // The peer's socket closes when this function returns.
        func socketWithAClosedPeer() throws -> MessageSocket {
            let (receiver, peer) = try MessageSocket.pair()
            try peer.send([1])
            try receiver.send([2])
            return receiver
        }
        let receiver = try socketWithAClosedPeer()
        #expect(message(receiver.receive())?.bytes == [1])
        #expect(isClosed(receiver.receive()))
    }

    @Test func memoryFileSentOverTheSocketSharesItsMemory() throws {
        let (sender, receiver) = try MessageSocket.pair()
        let file = try MemoryFile(name: "test", size: 4096)
        let sentMapping = try file.map(writable: true)
        try sender.send([7], descriptors: [file.descriptor.raw])
        let received = try #require(message(receiver.receive()))
        #expect(received.bytes == [7] && received.descriptors.count == 1)
        let receivedNumber = try #require(received.descriptors.first).raw
        #expect(receivedNumber != file.descriptor.raw && fcntl(receivedNumber, F_GETFD) & FD_CLOEXEC != 0)
        let receivedFile = try MemoryFile(
            received: try FileDescriptor(duplicating: receivedNumber), minimumSize: 4096, maximumSize: 4096)
        let receivedMapping = try receivedFile.map(writable: false)
        sentMapping.base.storeBytes(of: 0xC0FFEE, toByteOffset: 128, as: UInt32.self)
        #expect(receivedMapping.base.load(fromByteOffset: 128, as: UInt32.self) == 0xC0FFEE)
    }

    @Test func theMaximumNumberOfDescriptorsArrivesInOrder() throws {
        let (sender, receiver) = try MessageSocket.pair()
        var events: [EventDescriptor] = []
        for _ in 0..<WireLimits.descriptorCount { events.append(try EventDescriptor()) }
        try sender.send([1], descriptors: events.map(\.raw))
        let received = try #require(message(receiver.receive()))
        #expect(received.descriptors.count == WireLimits.descriptorCount)
        for (index, descriptor) in received.descriptors.enumerated() {
            try EventDescriptor(received: try FileDescriptor(duplicating: descriptor.raw)).signal()
            #expect(events.map { $0.drain() } == events.indices.map { $0 == index })
        }
    }

    @Test func socketWithALargerLimitReceivesLargeMessages() throws {
        let (sender, receiver) = try MessageSocket.pair(messageLimit: WireLimits.largeMessageBytes)
        try sender.send([UInt8](repeating: 7, count: WireLimits.largeMessageBytes))
        #expect(
            message(receiver.receive())?.bytes == [UInt8](repeating: 7, count: WireLimits.largeMessageBytes))
        try sender.send([UInt8](repeating: 7, count: WireLimits.largeMessageBytes + 1))
        #expect(isClosed(receiver.receive()))
    }

    @Test func anOverlongMessageEndsTheConnection() throws {
        let (sender, receiver) = try MessageSocket.pair()
        try sender.send([UInt8](repeating: 0, count: WireLimits.messageBytes + 1))
        #expect(isClosed(receiver.receive()))
    }

    @Test func sendingAndReceivingDetectAShutdown() throws {
        let (shutDownSocket, peer): (MessageSocket, MessageSocket)
        do {
            let (first, second) = try MessageSocket.pair()
            try first.send([1])
            first.shutdown()
            (shutDownSocket, peer) = (first, second)
        }
        #expect(message(peer.receive())?.bytes == [1], "a message sent before the shutdown arrives")
        #expect(isClosed(peer.receive()))
        #expect(throws: SystemCallError.self) { try peer.send([1]) }
        #expect(isClosed(shutDownSocket.receive()))
    }

    @Test func sendingToAFullQueueFailsInsteadOfWaiting() throws {
        let (sender, receiver) = try MessageSocket.pair()
        var sentCount = 0
        var failure: SystemCallError?
        while failure == nil, sentCount < 100_000 {
            do { try sender.send([UInt8](repeating: 1, count: 4096)) } catch { failure = error }
            sentCount += 1
        }
        #expect(failure?.number == EAGAIN)
        #expect(message(receiver.receive())?.bytes.count == 4096)
    }

    @Test func peerCredentialsAreThoseOfThisProcess() throws {
        let (firstSocket, secondSocket) = try MessageSocket.pair()
        #expect(firstSocket.peer?.processID == getpid() && secondSocket.peer?.userID == getuid())
    }

    /// Returns whether the writing end of a pipe is closed.
    private func isWritingEndClosed(_ readingEnd: borrowing FileDescriptor) throws -> Bool {
        var entries = [Poll.Entry(readingEnd.raw)]
        return try Poll.wait(&entries, until: 0) && entries[0].ready.contains(.hungUp)
    }

    @Test func descriptorsOfARefusedMessageAreClosed() throws {
        let (sender, receiver) = try MessageSocket.pair()
        var ends: [Int32] = [-1, -1]
        try systemCall("pipe") { pipe(&ends) }
        let readingEnd = FileDescriptor(owning: ends[0])
        do {
            let writingEnd = FileDescriptor(owning: ends[1])
            let overlongMessage = [UInt8](repeating: 0, count: WireLimits.messageBytes + 1)
            try sender.send(overlongMessage, descriptors: [writingEnd.raw])
            #expect(try !isWritingEndClosed(readingEnd))
        }
        #expect(try !isWritingEndClosed(readingEnd), "the message contains a copy of the descriptor")
        #expect(isClosed(receiver.receive()))
        #expect(try isWritingEndClosed(readingEnd))
    }

    @Test func aReceivedDescriptorIsClosedWithItsMessage() throws {
        let (sender, receiver) = try MessageSocket.pair()
        var ends: [Int32] = [-1, -1]
        try systemCall("pipe") { pipe(&ends) }
        let readingEnd = FileDescriptor(owning: ends[0])
        do {
            let writingEnd = FileDescriptor(owning: ends[1])
            try sender.send([1], descriptors: [writingEnd.raw])
        }
        do {
            let received = try #require(message(receiver.receive()))
            #expect(try received.descriptors.count == 1 && !isWritingEndClosed(readingEnd))
        }
        #expect(try isWritingEndClosed(readingEnd))
    }

    @Test func tooManyDescriptorsAreRefusedBeforeTheyAreSent() throws {
        let (sender, receiver) = try MessageSocket.pair()
        let event = try EventDescriptor()
        let descriptors = [Int32](repeating: event.raw, count: WireLimits.descriptorCount + 1)
        #expect(throws: SystemCallError(call: "sendmsg", number: EINVAL)) {
            try sender.send([1], descriptors: descriptors)
        }
        #expect(hasNoMessage(receiver.receive()))
    }

    @Test func anEmptyMessageEndsTheConnection() throws {
        let (sender, receiver) = try MessageSocket.pair()
        try sender.send([])
        #expect(isClosed(receiver.receive()))
    }
}
