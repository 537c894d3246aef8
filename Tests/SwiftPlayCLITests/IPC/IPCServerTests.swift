import Glibc
import Synchronization
import Testing

@testable import SwiftPlayCLI

@Suite struct IPCServerTests {
    /// The temporary path of the server's socket.
    private let temporarySocket = TemporarySocket()
    private let target = TestTarget()

    private func makeServer(_ limits: IPCLimits = IPCLimits()) throws -> IPCServer {
        try IPCServer(path: temporarySocket.path, target: target, limits: limits)
    }

    @Test func eachClientReceivesItsOwnReplies() throws {
        let server = try makeServer()
        defer { server.close() }
        let clients = try (0..<5).map { _ in try IPCTestClient(temporarySocket.path) }
        var clientNames: Set<String> = []
        for (i, client) in clients.enumerated() {
            try client.send(#"{"command":["get_property","pause"],"request_id":\#(i)}"#)
        }
        for (i, client) in clients.enumerated() {
            #expect(try client.receiveLine() == #"{"data":false,"request_id":\#(i),"error":"success"}"#)
            clientNames.insert(try #require(try client.request(#"{"command":["client_name"]}"#)))
        }
        #expect(clientNames.count == 5)
    }

    @Test func fragmentedAndBatchedRequestsReceiveReplies() throws {
        let server = try makeServer()
        defer { server.close() }
        let client = try IPCTestClient(temporarySocket.path)
        let request = Array("{\"command\":[\"get_version\"],\"request_id\":1}\n".utf8)
        try client.send(Array(request[..<9]))
        // The reply to the second client shows that the server has read the first piece of the request.
        let otherClient = try IPCTestClient(temporarySocket.path)
        _ = try otherClient.request(#"{"command":["client_name"]}"#)
        try client.send(Array(request[9...]))
        #expect(try client.receiveLine() == #"{"data":131072,"request_id":1,"error":"success"}"#)
        let requestCount = 5000
        for i in 0..<requestCount { try client.send(#"{"command":["get_version"],"request_id":\#(i)}"#) }
        client.closeSendingDirection()
        for i in 0..<requestCount {
            #expect(try client.receiveLine() == #"{"data":131072,"request_id":\#(i),"error":"success"}"#)
        }
        #expect(try client.receiveLine() == nil)
    }

    @Test func observersReceiveChangesFromAllSources() throws {
        let server = try makeServer()
        defer { server.close() }
        let observer = try IPCTestClient(temporarySocket.path), otherClient = try IPCTestClient(temporarySocket.path)
        #expect(
            try observer.request(#"{"command":["observe_property",1,"pause"]}"#)
                == #"{"request_id":0,"error":"success"}"#)
        #expect(try observer.receiveLine() == #"{"event":"property-change","id":1,"name":"pause","data":false}"#)
        // The property changes come from another client's JSON request, from its text command, and from the player,
        // with and without a property name.
        #expect(
            try otherClient.request(#"{"command":["set_property","pause",true]}"#)
                == #"{"request_id":0,"error":"success"}"#)
        #expect(try observer.receiveLine() == #"{"event":"property-change","id":1,"name":"pause","data":true}"#)
        try otherClient.send("cycle pause")
        #expect(try observer.receiveLine() == #"{"event":"property-change","id":1,"name":"pause","data":false}"#)
        target.changeProperty("pause", to: true)
        server.reportChange(of: "pause")
        #expect(try observer.receiveLine() == #"{"event":"property-change","id":1,"name":"pause","data":true}"#)
        target.changeProperty("pause", to: nil)
        server.reportPossibleChanges()
        #expect(try observer.receiveLine() == #"{"event":"property-change","id":1,"name":"pause"}"#)
        #expect(
            try observer.request(#"{"command":["unobserve_property",1]}"#) == #"{"request_id":0,"error":"success"}"#)
        target.changeProperty("pause", to: true)
        server.reportChange(of: "pause")
        #expect(
            try observer.request(#"{"command":["get_property","pause"]}"#)
                == #"{"data":true,"request_id":0,"error":"success"}"#)
    }

    @Test func eventsReachEveryClientInOrder() throws {
        let server = try makeServer()
        defer { server.close() }
        let clients = try (0..<2).map { _ in try IPCTestClient(temporarySocket.path) }
        for client in clients { _ = try client.request(#"{"command":["client_name"]}"#) }
        server.broadcast(IPCEvent("start-file", ["playlist_entry_id": 1]))
        server.broadcast(IPCEvent("file-loaded"))
        for client in clients {
            #expect(try client.receiveLine() == #"{"event":"start-file","playlist_entry_id":1}"#)
            #expect(try client.receiveLine() == #"{"event":"file-loaded"}"#)
        }
    }

    @Test func aSlowClientIsDisconnectedAndOthersAreNot() throws {
        var limits = IPCLimits()
        limits.maximumOutputBytes = 256 << 10
        let server = try makeServer(limits)
        defer { server.close() }
        let slowClient = try IPCTestClient(temporarySocket.path), otherClient = try IPCTestClient(temporarySocket.path)
        _ = try slowClient.request(#"{"command":["client_name"]}"#)
        _ = try otherClient.request(#"{"command":["disable_event","all"]}"#)
        let text = JSONValue.string(String(repeating: "x", count: 64 << 10))
        let eventCount = 200
        for _ in 0..<eventCount {
            server.broadcast(IPCEvent("client-message", ["args": [text]]))
            #expect(try otherClient.request(#"{"command":["get_version"]}"#) != nil)
        }
        let receivedBytes = try slowClient.countRemainingBytes()
        #expect(receivedBytes < eventCount * (64 << 10))
        #expect(
            try otherClient.request(#"{"command":["get_property","pause"]}"#)
                == #"{"data":false,"request_id":0,"error":"success"}"#)
    }

    @Test func anOverlongLineDisconnectsTheClient() throws {
        var limits = IPCLimits()
        limits.maximumLineBytes = 1000
        let server = try makeServer(limits)
        defer { server.close() }
        let client = try IPCTestClient(temporarySocket.path)
        try client.send([UInt8](repeating: UInt8(ascii: "x"), count: 1001))
        #expect(try client.receiveLine() == nil)
        #expect(try IPCTestClient(temporarySocket.path).request(#"{"command":["get_version"]}"#) != nil)
    }

    @Test func randomBytesDoNotStopTheServer() throws {
        let server = try makeServer()
        defer { server.close() }
        let client = try IPCTestClient(temporarySocket.path)
        try client.send((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 3) } + [10])
        // Random lines that look like requests receive replies, too; the last reply belongs to the last request.
        try client.send(#"{"command":["get_version"],"request_id":"last"}"#)
        var line = try client.receiveLine()
        while let earlierLine = line, !earlierLine.contains("last") { line = try client.receiveLine() }
        #expect(line == #"{"data":131072,"request_id":"last","error":"success"}"#)
    }

    @Test func aClientBeyondTheLimitIsDisconnected() throws {
        var limits = IPCLimits()
        limits.maximumClients = 2
        let server = try makeServer(limits)
        defer { server.close() }
        var clients = try (0..<2).map { _ in try IPCTestClient(temporarySocket.path) }
        for client in clients { #expect(try client.request(#"{"command":["get_version"]}"#) != nil) }
        #expect(try IPCTestClient(temporarySocket.path).receiveLine() == nil)
        let disconnectedClient = clients.removeLast()
        disconnectedClient.closeSendingDirection()
        #expect(try disconnectedClient.receiveLine() == nil)
        #expect(try IPCTestClient(temporarySocket.path).request(#"{"command":["get_version"]}"#) != nil)
    }

    @Test func theMailboxReportsLostEvents() throws {
        var limits = IPCLimits()
        limits.maximumEvents = 2
        let mailbox = try IPCMailbox(eventLimit: limits.maximumEvents)
        for _ in 0..<3 { mailbox.post(IPCEvent("idle")) }
        let contents = mailbox.takeContents()
        #expect(contents.events.count == 2)
        #expect(contents.didOverflow)
        #expect(mailbox.takeContents().events.isEmpty)
    }

    @Test func closeDeliversPendingEvents() throws {
        let server = try makeServer()
        let client = try IPCTestClient(temporarySocket.path)
        _ = try client.request(#"{"command":["client_name"]}"#)
        server.broadcast(IPCEvent("shutdown"))
        server.close()
        server.close()
        #expect(try client.receiveLine() == #"{"event":"shutdown"}"#)
        #expect(try client.receiveLine() == nil)
        #expect(!temporarySocket.exists)
    }

    @Test func quitReceivesAReplyBeforeTheServerCloses() throws {
        let closer = ServerCloser()
        let server = try IPCServer(path: temporarySocket.path, target: TestTarget(onQuit: { closer.close() }))
        closer.server.withLock { $0 = server }
        let client = try IPCTestClient(temporarySocket.path)
        #expect(
            try client.request(#"{"command":["quit"],"request_id":4}"#)
                == #"{"data":null,"request_id":4,"error":"success"}"#)
        #expect(try client.receiveLine() == nil)
        closer.server.withLock { $0 = nil }
        server.close()
        #expect(!temporarySocket.exists)
    }

    /// Closes the server on the server's own thread.
    private final class ServerCloser: Sendable {
        let server = Mutex<IPCServer?>(nil)
        func close() { server.withLock { $0 }?.close() }
    }
}
