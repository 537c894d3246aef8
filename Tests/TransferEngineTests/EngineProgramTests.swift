import BackgroundProtocol
import Glibc
import SystemCalls
import TestSupport
import Testing
import TransferPolicy
import WireFormat

/// The program `swiftplay-transfer` with its sandbox.
@Suite struct EngineProgramTests {
    /// The program, and the ledger's end of its socket.
    private struct Engine {
        let processID: pid_t
        let ledger: MessageSocket

        /// Starts the program; `injection` is strace's description of system calls that fail in it.
        init(_ injection: String? = nil) throws {
            let (ledger, engineEnd) = try MessageSocket.pair(messageLimit: EngineLimits.messageBytes)
            self.ledger = ledger
            let program = try Products.path("swiftplay-transfer")
            let traced = injection.map { "exec strace -f -qq -o /dev/null -e inject=\($0) \(program)" }
            processID = try ChildProgram.start(
                traced == nil ? program : "/bin/sh", traced.map { ["-c", $0] } ?? [],
                steps: [.copy(engineEnd.raw, as: 3)], descriptorCount: 4)
            try ledger.send(try EngineCommand.hello(version: EngineLimits.version).encoded())
        }

        /// Waits for the next event.
        func nextEvent() throws -> EngineEvent {
            guard try Poll.waitReadable(ledger.raw, until: MonotonicTime.now + 20_000_000_000),
                case .message(let message) = ledger.receive()
            else { throw TestFailure("the program sends no event") }
            return try EngineEvent(decoding: message.bytes)
        }

        /// Performs an order, and returns the event that ends it.
        func run(_ address: String, _ file: TestFile) throws -> EngineEvent {
            let request = TransferRequest(address: address, allowsInsecureHTTP: true)
            try ledger.send(
                try EngineCommand.start(TransferOrder(transfer: 1, request: request)).encoded(),
                descriptors: [file.descriptor.raw])
            while true {
                let event = try nextEvent()
                switch event {
                case .finished, .failed, .stopped: return event
                default: continue
                }
            }
        }

        /// Ends the connection, and returns the exit status of the program.
        func exitStatus() -> Int32? {
            ledger.shutdown()
            return ChildProgram.waitForExit(of: processID, until: MonotonicTime.now + 20_000_000_000)
        }
    }

    @Test func aDownloadSucceedsInTheSandbox() throws {
        let content = TestContent.bytes(2_000_000)
        let server = try FaultServer { _ in [.head("HTTP/1.1 200 OK", "Content-Length: 2000000"), .bytes(content)] }
        let directory = try TemporaryDirectory()
        let file = try TestFile(directory.file("part"), [])
        let engine = try Engine()
        #expect(try engine.nextEvent() == .hello(version: EngineLimits.version))
        let event = try engine.run("http://localhost:\(server.port)/", file)
        #expect(event == .finished(transfer: 1, length: 2_000_000, status: 200))
        #expect(try file.content == content)
        #expect(engine.exitStatus() == 0)
    }

    @Test func certificatesAreReadInTheSandbox() throws {
        let server = try TLSServer()
        let directory = try TemporaryDirectory()
        let engine = try Engine()
        let event = try engine.run(server.address, try TestFile(directory.file("part"), []))
        guard case .failed(1, let failure) = event else { throw TestFailure("\(event)") }
        #expect(failure.kind == .certificate && failure.message.contains("self-signed"), "\(failure)")
        #expect(engine.exitStatus() == 0)
    }

    @Test("the disk starts to write before a checkpoint is due, and its error ends the transfer")
    func writebackThatFailsIsADiskFailure() throws {
        let content = TestContent.bytes(8 << 20)
        let server = try FaultServer { _ in
            [.head("HTTP/1.1 200 OK", "Content-Length: 100000000"), .bytes(content), .hold]
        }
        let directory = try TemporaryDirectory()
        let engine = try Engine("sync_file_range:error=EIO")
        let event = try engine.run(server.address, try TestFile(directory.file("part"), []))
        guard case .failed(1, let failure) = event else { throw TestFailure("\(event)") }
        #expect(failure.kind == .disk && failure.code == EIO, "\(failure)")
        #expect(engine.exitStatus() == 0)
    }

    @Test func aFileSizeLimitIsADiskFailure() throws {
        let content = TestContent.bytes(200_000)
        let server = try FaultServer { _ in [.head("HTTP/1.1 200 OK"), .bytes(content), .close] }
        let directory = try TemporaryDirectory()
        let file = try TestFile(directory.file("part"), [])
        let engine = try Engine()
        #expect(try engine.nextEvent() == .hello(version: EngineLimits.version))
        try run("prlimit", ["--pid", "\(engine.processID)", "--fsize=65536"])
        let event = try engine.run(server.address, file)
        guard case .failed(1, let failure) = event else { throw TestFailure("\(event)") }
        #expect(failure.kind == .disk && failure.code == EFBIG && failure.durableLength == 65_536)
        #expect(engine.exitStatus() == 0)
    }

    @Test func theProgramExitsWithTheLedger() throws {
        let engine = try Engine()
        #expect(try engine.nextEvent() == .hello(version: EngineLimits.version))
        #expect(engine.exitStatus() == 0)
    }

    @Test func withoutALedgerTheProgramExplainsItsUse() throws {
        let program = try ChildProcess(try Products.path("swiftplay-transfer"))
        let status = try program.waitForExit(within: .seconds(20))
        #expect(!status.isSuccess)
        #expect(program.errors.text.contains("swiftplay download"))
    }
}
