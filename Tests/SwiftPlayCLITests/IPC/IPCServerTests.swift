import Glibc
import Synchronization
import Testing

@testable import SwiftPlayCLI

@Suite struct IPCServerTests {
    private let place = TemporarySocket()
    private let target = TestTarget()

    private func server(_ limits: IPCLimits = IPCLimits()) throws -> IPCServer {
        try IPCServer(path: place.path, target: target, limits: limits)
    }

    @Test func severalClientsAndRequestIDs() throws {
        let server = try server()
        defer { server.close() }
        let clients = try (0..<5).map { _ in try IPCTestClient(place.path) }
        var names: Set<String> = []
        for (i, client) in clients.enumerated() {
            try client.send(#"{"command":["get_property","pause"],"request_id":\#(i)}"#)
        }
        for (i, client) in clients.enumerated() {
            #expect(try client.line() == #"{"data":false,"request_id":\#(i),"error":"success"}"#)
            names.insert(try #require(try client.ask(#"{"command":["client_name"]}"#)))
        }
        #expect(names.count == 5)
    }

    @Test func requestsInPiecesAndInHeaps() throws {
        let server = try server()
        defer { server.close() }
        let client = try IPCTestClient(place.path)
        let request = Array("{\"command\":[\"get_version\"],\"request_id\":1}\n".utf8)
        try client.send(Array(request[..<9]))
        // The other client's answer says that the server has seen the first piece.
        let other = try IPCTestClient(place.path)
        _ = try other.ask(#"{"command":["client_name"]}"#)
        try client.send(Array(request[9...]))
        #expect(try client.line() == #"{"data":131072,"request_id":1,"error":"success"}"#)
        let count = 5000
        for i in 0..<count { try client.send(#"{"command":["get_version"],"request_id":\#(i)}"#) }
        client.end()
        for i in 0..<count { #expect(try client.line() == #"{"data":131072,"request_id":\#(i),"error":"success"}"#) }
        #expect(try client.line() == nil)
    }

    @Test func observersHearOfChanges() throws {
        let server = try server()
        defer { server.close() }
        let observer = try IPCTestClient(place.path), other = try IPCTestClient(place.path)
        #expect(
            try observer.ask(#"{"command":["observe_property",1,"pause"]}"#) == #"{"request_id":0,"error":"success"}"#)
        #expect(try observer.line() == #"{"event":"property-change","id":1,"name":"pause","data":false}"#)
        // By another client, by a plain command of another, behind the server's back with and without a name.
        #expect(try other.ask(#"{"command":["set_property","pause",true]}"#) == #"{"request_id":0,"error":"success"}"#)
        #expect(try observer.line() == #"{"event":"property-change","id":1,"name":"pause","data":true}"#)
        try other.send("cycle pause")
        #expect(try observer.line() == #"{"event":"property-change","id":1,"name":"pause","data":false}"#)
        target.change("pause", to: true)
        server.propertyChanged("pause")
        #expect(try observer.line() == #"{"event":"property-change","id":1,"name":"pause","data":true}"#)
        target.change("pause", to: nil)
        server.propertiesMayHaveChanged()
        #expect(try observer.line() == #"{"event":"property-change","id":1,"name":"pause"}"#)
        #expect(try observer.ask(#"{"command":["unobserve_property",1]}"#) == #"{"request_id":0,"error":"success"}"#)
        target.change("pause", to: true)
        server.propertyChanged("pause")
        #expect(
            try observer.ask(#"{"command":["get_property","pause"]}"#)
                == #"{"data":true,"request_id":0,"error":"success"}"#)
    }

    @Test func eventsReachEveryClientInOrder() throws {
        let server = try server()
        defer { server.close() }
        let clients = try (0..<2).map { _ in try IPCTestClient(place.path) }
        for client in clients { _ = try client.ask(#"{"command":["client_name"]}"#) }
        server.broadcast(IPCEvent("start-file", ["playlist_entry_id": 1]))
        server.broadcast(IPCEvent("file-loaded"))
        for client in clients {
            #expect(try client.line() == #"{"event":"start-file","playlist_entry_id":1}"#)
            #expect(try client.line() == #"{"event":"file-loaded"}"#)
        }
    }

    @Test func slowClientIsCutOffAndOthersAreNot() throws {
        var limits = IPCLimits()
        limits.outputBytes = 256 << 10
        let server = try server(limits)
        defer { server.close() }
        let slow = try IPCTestClient(place.path), other = try IPCTestClient(place.path)
        _ = try slow.ask(#"{"command":["client_name"]}"#)
        _ = try other.ask(#"{"command":["disable_event","all"]}"#)
        let text = JSONValue.string(String(repeating: "x", count: 64 << 10))
        let count = 200
        for _ in 0..<count {
            server.broadcast(IPCEvent("client-message", ["args": [text]]))
            #expect(try other.ask(#"{"command":["get_version"]}"#) != nil)
        }
        let received = try slow.countToEnd()
        #expect(received < count * (64 << 10))
        #expect(
            try other.ask(#"{"command":["get_property","pause"]}"#)
                == #"{"data":false,"request_id":0,"error":"success"}"#)
    }

    @Test func overlongLineIsCutOff() throws {
        var limits = IPCLimits()
        limits.lineBytes = 1000
        let server = try server(limits)
        defer { server.close() }
        let client = try IPCTestClient(place.path)
        try client.send([UInt8](repeating: UInt8(ascii: "x"), count: 1001))
        #expect(try client.line() == nil)
        #expect(try IPCTestClient(place.path).ask(#"{"command":["get_version"]}"#) != nil)
    }

    @Test func garbageIsSurvived() throws {
        let server = try server()
        defer { server.close() }
        let client = try IPCTestClient(place.path)
        try client.send((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 3) } + [10])
        // What of it looked like a request was answered; the last answer is to the last request.
        try client.send(#"{"command":["get_version"],"request_id":"last"}"#)
        var line = try client.line()
        while let other = line, !other.contains("last") { line = try client.line() }
        #expect(line == #"{"data":131072,"request_id":"last","error":"success"}"#)
    }

    @Test func oneClientTooManyIsHungUpOn() throws {
        var limits = IPCLimits()
        limits.clients = 2
        let server = try server(limits)
        defer { server.close() }
        var clients = try (0..<2).map { _ in try IPCTestClient(place.path) }
        for client in clients { #expect(try client.ask(#"{"command":["get_version"]}"#) != nil) }
        #expect(try IPCTestClient(place.path).line() == nil)
        let gone = clients.removeLast()
        gone.end()
        #expect(try gone.line() == nil)
        #expect(try IPCTestClient(place.path).ask(#"{"command":["get_version"]}"#) != nil)
    }

    @Test func lostEventsAreOwnedUpTo() throws {
        var limits = IPCLimits()
        limits.events = 2
        let mailbox = try IPCMailbox(eventLimit: limits.events)
        for _ in 0..<3 { mailbox.post(IPCEvent("idle")) }
        let mail = mailbox.take()
        #expect(mail.events.count == 2)
        #expect(mail.lostEvents)
        #expect(mailbox.take().events.isEmpty)
    }

    @Test func closeDeliversWhatWasBroadcast() throws {
        let server = try server()
        let client = try IPCTestClient(place.path)
        _ = try client.ask(#"{"command":["client_name"]}"#)
        server.broadcast(IPCEvent("shutdown"))
        server.close()
        server.close()
        #expect(try client.line() == #"{"event":"shutdown"}"#)
        #expect(try client.line() == nil)
        #expect(!place.exists)
    }

    @Test func quitIsAnsweredBeforeTheEnd() throws {
        let closer = Closer()
        let server = try IPCServer(path: place.path, target: TestTarget(onQuit: { closer.close() }))
        closer.server.withLock { $0 = server }
        let client = try IPCTestClient(place.path)
        #expect(
            try client.ask(#"{"command":["quit"],"request_id":4}"#)
                == #"{"data":null,"request_id":4,"error":"success"}"#)
        #expect(try client.line() == nil)
        closer.server.withLock { $0 = nil }
        server.close()
        #expect(!place.exists)
    }

    /// Closes the server from its own thread.
    private final class Closer: Sendable {
        let server = Mutex<IPCServer?>(nil)
        func close() { server.withLock { $0 }?.close() }
    }
}
