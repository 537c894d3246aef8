import BackgroundProtocol
import Glibc
import SystemCalls
import TestSupport
import Testing
import TransferPolicy
import WireFormat

@testable import TransferEngine

/// Commands of the ledger, slow servers and uploads.
@Suite struct CommandTests {
    /// A server that sends 20,000 of 100,000 bytes and then waits.
    private func pausingServer() throws -> FaultServer {
        try FaultServer { _ in
            [
                .head("HTTP/1.1 200 OK", "Content-Length: 100000", "ETag: \"a\""),
                .bytes(TestContent.bytes(20_000)), .hold,
            ]
        }
    }

    /// Waits until a transfer has received a response.
    private func waitForResponse(_ engine: EngineFixture) throws {
        while true { if case .response = try engine.nextEvent() { return } }
    }

    /// Waits until a file has a size.
    private func waitForSize(_ file: TestFile, _ size: Int) throws {
        let size = Deadline.poll(for: .seconds(10), every: .milliseconds(2)) {
            (try? file.descriptor.fileDescriptor.regularFileSize()) == size ? size : nil
        }
        guard size != nil else { throw TestFailure("the file does not grow") }
    }

    @Test func aStoppedTransferIsSynchronised() throws {
        let server = try pausingServer()
        let engine = try EngineFixture()
        let (order, file) = (engine.order(server.address), try engine.makeFile())
        try engine.send(.start(order), [file.descriptor.raw])
        try waitForResponse(engine)
        try waitForSize(file, 20_000)
        try engine.send(.stop(transfer: order.transfer))
        let record = try engine.wait(for: order.transfer)
        #expect(record.stoppedLength == 20_000 && record.durableLength == 20_000)
    }

    @Test func aStopOfAnUnknownTransferIsIgnored() throws {
        let server = try FaultServer { _ in [.head("HTTP/1.1 200 OK", "Content-Length: 0")] }
        let engine = try EngineFixture()
        try engine.send(.stop(transfer: 99))
        try engine.send(.limitRate(transfer: 99, bytesPerSecond: 5))
        #expect(try engine.run(engine.order(server.address), try engine.makeFile()).status == 200)
    }

    @Test func theEndOfTheLedgerSynchronisesAndEndsTheEngine() throws {
        let server = try pausingServer()
        let (ledger, engineEnd) = try MessageSocket.pair(messageLimit: EngineLimits.messageBytes)
        let hasEnded = Monitor(false)
        let thread = try NamedThread("transfer") {
            try? EngineLoop(engineEnd).run()
            hasEnded.update { $0 = true }
        }
        defer { thread.join() }
        let directory = try TemporaryDirectory()
        let file = try TestFile(directory.file("part"), [])
        try ledger.send(try EngineCommand.hello(version: EngineLimits.version).encoded())
        let request = TransferRequest(address: server.address, allowsInsecureHTTP: true)
        try ledger.send(
            try EngineCommand.start(TransferOrder(transfer: 1, request: request)).encoded(),
            descriptors: [file.descriptor.raw])
        try waitForSize(file, 20_000)
        ledger.shutdown()
        let deadline = MonotonicTime.now + EngineFixture.patience
        #expect(hasEnded.wait(until: deadline) { $0 ? true : nil } == true)
    }

    @Test func quitReportsTheStoppedTransfers() throws {
        let server = try pausingServer()
        let engine = try EngineFixture()
        let (order, file) = (engine.order(server.address), try engine.makeFile())
        try engine.send(.start(order), [file.descriptor.raw])
        try waitForResponse(engine)
        try waitForSize(file, 20_000)
        try engine.send(.quit)
        #expect(try engine.wait(for: order.transfer).stoppedLength == 20_000)
        #expect(throws: TestFailure.self) { try engine.nextEvent() }
    }

    @Test func anotherVersionEndsTheEngine() throws {
        let (ledger, engineEnd) = try MessageSocket.pair(messageLimit: EngineLimits.messageBytes)
        let thread = try NamedThread("transfer") { try? EngineLoop(engineEnd).run() }
        try ledger.send(try EngineCommand.hello(version: EngineLimits.version + 1).encoded())
        thread.join()
    }

    @Test func aMalformedCommandEndsTheEngine() throws {
        let (ledger, engineEnd) = try MessageSocket.pair(messageLimit: EngineLimits.messageBytes)
        let thread = try NamedThread("transfer") { try? EngineLoop(engineEnd).run() }
        try ledger.send([200, 1, 2, 3])
        thread.join()
    }

    @Test func anOrderWithoutItsDescriptorsFails() throws {
        let engine = try EngineFixture()
        #expect(try engine.run(engine.order("http://127.0.0.1:1/")).failure?.kind == .engine)
    }

    @Test func aNumberInUseFails() throws {
        let server = try pausingServer()
        let engine = try EngineFixture()
        let (order, file) = (engine.order(server.address), try engine.makeFile())
        try engine.send(.start(order), [file.descriptor.raw])
        #expect(try engine.run(order, try engine.makeFile()).failure?.kind == .engine)
    }

    @Test func progressIsReported() throws {
        let server = try FaultServer { _ in
            [
                .head("HTTP/1.1 200 OK", "Content-Length: 40", "ETag: \"a\""),
                .drip([UInt8](repeating: 7, count: 40), milliseconds: 10),
            ]
        }
        let engine = try EngineFixture()
        let order = engine.order(server.address)
        let record = try engine.run(order, try engine.makeFile())
        let lengths = record.events.compactMap { event -> Int64? in
            if case .progress(_, let length) = event { length } else { nil }
        }
        #expect(record.finishedLength == 40 && !lengths.isEmpty && lengths == lengths.sorted())
        #expect(record.events.contains(.connected(transfer: order.transfer)))
    }

    /// Responses that never end and are slower than the limit.
    private static let slowResponses: [[FaultServer.Step]] = [
        [.text("HTTP/1.1 200 OK\r\nX: "), .drip([UInt8](repeating: 65, count: 1000), milliseconds: 20)],
        [
            .head("HTTP/1.1 200 OK", "Content-Length: 1000", "ETag: \"a\""),
            .drip([UInt8](repeating: 65, count: 1000), milliseconds: 20),
        ],
        [
            .head("HTTP/1.1 200 OK", "Content-Length: 1000", "ETag: \"a\""),
            .bytes([UInt8](repeating: 65, count: 900)), .drip([UInt8](repeating: 65, count: 100), milliseconds: 20),
        ],
        [.hold],
    ]

    @Test(arguments: slowResponses) func aSlowServerIsATimeout(_ steps: [FaultServer.Step]) throws {
        let server = try FaultServer { _ in steps }
        let engine = try EngineFixture()
        var order = engine.order(server.address)
        (order.limits.lowSpeed, order.limits.lowSpeedTime) = (1024, 300)
        let file = try engine.makeFile()
        let record = try engine.run(order, file)
        #expect(record.failure?.kind == .timeout)
        #expect(try record.failure?.durableLength == Int64(file.content.count))
    }

    @Test func slowServersDoNotDelayAGoodOne() throws {
        let slowServer = try FaultServer { _ in
            [.text("HTTP/1.1 200 OK\r\nX: "), .drip([UInt8](repeating: 65, count: 1000), milliseconds: 20)]
        }
        let server = try FaultServer { _ in [.head("HTTP/1.1 200 OK", "Content-Length: 2"), .text("ok")] }
        let engine = try EngineFixture()
        for _ in 0..<50 {
            let file = try engine.makeFile()
            try engine.send(.start(engine.order(slowServer.address)), [file.descriptor.raw])
        }
        #expect(try engine.run(engine.order(server.address), try engine.makeFile()).status == 200)
    }

    @Test func theRateIsLimited() throws {
        let server = try FaultServer { _ in
            [.head("HTTP/1.1 200 OK", "Content-Length: 300000"), .bytes(TestContent.bytes(300_000))]
        }
        let engine = try EngineFixture()
        var order = engine.order(server.address)
        order.limits.rate = 1
        let file = try engine.makeFile()
        try engine.send(.start(order), [file.descriptor.raw])
        try waitForResponse(engine)
        try engine.send(.limitRate(transfer: order.transfer, bytesPerSecond: 0))
        #expect(try engine.wait(for: order.transfer).finishedLength == 300_000)
    }

    @Test(arguments: ["PUT", "POST"]) func aFileIsUploaded(_ method: String) throws {
        let server = try FaultServer { _ in [.head("HTTP/1.1 201 Created", "Content-Length: 2"), .text("ok")] }
        let engine = try EngineFixture()
        let (part, upload) = (try engine.makeFile(), try engine.makeFile(TestContent.bytes(200_000)))
        var order = engine.order(server.address, method: method)
        order.descriptors = [.part, .upload]
        let record = try engine.run(order, part, upload)
        #expect(record.status == 201 && record.finishedLength == 2)
        #expect(server.requests[0].method == method && server.requests[0].body == TestContent.bytes(200_000))
        #expect(try part.content == Array("ok".utf8))
    }

    @Test("a response to another method than GET replaces the bytes of an interrupted attempt")
    func aResponseToAnotherMethodIsNotAppended() throws {
        let server = try FaultServer { _ in [.head("HTTP/1.1 200 OK", "Content-Length: 10"), .text("0123456789")] }
        let engine = try EngineFixture()
        let part = try engine.makeFile(Array("abcd".utf8))
        let record = try engine.run(engine.order(server.address, held: .sample(4, total: 10), method: "POST"), part)
        #expect(record.finishedLength == 10 && record.response?.use == .restart && record.emptiedCount == 1)
        #expect(try part.content == Array("0123456789".utf8))
    }

    @Test func anUploadFollowsARedirectWithItsFile() throws {
        let server = try FaultServer { request in
            request.path == "/0"
                ? [.head("HTTP/1.1 307 There", "Location: /1", "Content-Length: 0")]
                : [.head("HTTP/1.1 204 Stored")]
        }
        let engine = try EngineFixture()
        let (part, upload) = (try engine.makeFile(), try engine.makeFile(TestContent.bytes(1000)))
        var order = engine.order(server.address + "/0", method: "PUT")
        order.descriptors = [.part, .upload]
        #expect(try engine.run(order, part, upload).status == 204)
        #expect(server.requests.map(\.body.count) == [1000, 1000])
    }
}
