import BackgroundProtocol
import Glibc
import SystemCalls
import TestSupport
import TransferPolicy
import WireFormat

@testable import TransferEngine

/// An engine on a thread of the test, and the ledger's end of its socket.
final class EngineFixture {
    /// The end of the ledger.
    let ledger: MessageSocket
    private let thread: NamedThread
    private let directory: TemporaryDirectory
    private var nextTransfer: UInt64 = 1
    /// Events of other transfers that ``run(_:)`` has received.
    private(set) var otherEvents: [EngineEvent] = []

    /// The deadline of every wait, in nanoseconds.
    static let patience: Int64 = 20_000_000_000

    init() throws {
        let (ledger, engineEnd) = try MessageSocket.pair(messageLimit: EngineLimits.messageBytes)
        self.ledger = ledger
        directory = try TemporaryDirectory()
        thread = try NamedThread("transfer") { try? EngineLoop(engineEnd).run() }
        try send(.hello(version: EngineLimits.version))
        guard try nextEvent() == .hello(version: EngineLimits.version) else { throw TestFailure("no hello") }
    }

    deinit {
        ledger.shutdown()
        thread.join()
    }

    /// Sends a command with descriptors.
    func send(_ command: EngineCommand, _ descriptors: [Int32] = []) throws {
        try ledger.send(try command.encoded(), descriptors: descriptors)
    }

    /// Waits for the next event.
    func nextEvent() throws -> EngineEvent {
        let deadline = MonotonicTime.now + Self.patience
        while true {
            switch ledger.receive() {
            case .message(let message): return try EngineEvent(decoding: message.bytes)
            case .closed: throw TestFailure("the engine has closed the connection")
            case .nothing:
                guard try Poll.waitReadable(ledger.raw, until: deadline) else { throw TestFailure("no event") }
            }
        }
    }

    /// Creates a part file with a content.
    func makeFile(_ content: [UInt8] = []) throws -> TestFile {
        nextTransfer += 1
        return try TestFile(directory.file("part-\(nextTransfer)"), content)
    }

    /// Returns an order for an address and a part file; its limits are short.
    func order(
        _ address: String, held: HeldContent = HeldContent(), fields: [HeaderField] = [], method: String = "GET"
    ) -> TransferOrder {
        nextTransfer += 1
        return TransferOrder(
            transfer: nextTransfer,
            request: TransferRequest(address: address, method: method, fields: fields, allowsInsecureHTTP: true),
            held: held, limits: TransferLimits(lowSpeed: 1000, lowSpeedTime: 5000, connectTime: 5000))
    }

    /// Performs an order and waits for its end.
    func run(_ order: TransferOrder, _ files: TestFile...) throws -> TransferRecord {
        try send(.start(order), files.map { $0.descriptor.raw })
        return try wait(for: order.transfer)
    }

    /// Performs an order with descriptors and waits for its end.
    func run(_ order: TransferOrder, descriptors: [SharedDescriptor]) throws -> TransferRecord {
        try withExtendedLifetime(descriptors) { try send(.start(order), descriptors.map(\.raw)) }
        return try wait(for: order.transfer)
    }

    /// Waits for the end of a transfer.
    func wait(for transfer: UInt64) throws -> TransferRecord {
        var record = TransferRecord()
        while true {
            let event = try nextEvent()
            record.events.append(event)
            switch event {
            case .response(transfer, let response): record.responses.append(response)
            case .checkpoint(transfer, let length): record.durableLength = length
            case .emptied(transfer): record.emptiedCount += 1
            case .quirksObserved(_, let quirks): record.quirks.formUnion(quirks)
            case .finished(transfer, let length, let status):
                (record.finishedLength, record.status) = (length, Int(status))
                return record
            case .failed(transfer, let failure):
                record.failure = failure
                return record
            case .stopped(transfer, let length):
                record.stoppedLength = length
                return record
            default: break
            }
        }
    }
}

/// The events of one transfer.
struct TransferRecord {
    var events: [EngineEvent] = []
    var responses: [EngineResponse] = []
    var durableLength: Int64 = 0
    var emptiedCount = 0
    var quirks: HostQuirks = []
    var finishedLength: Int64?
    var status: Int?
    var failure: EngineFailure?
    var stoppedLength: Int64?

    /// The last accepted response.
    var response: EngineResponse? { responses.last }
}

/// A file on the disk, open for reading and writing.
struct TestFile {
    let descriptor: SharedDescriptor

    init(_ path: String, _ content: [UInt8]) throws {
        descriptor = SharedDescriptor(try FileDescriptor(opening: path, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600))
        try content.withUnsafeBytes { try descriptor.fileDescriptor.write($0, at: 0) }
    }
}

extension TestFile {
    /// The content of the file.
    var content: [UInt8] {
        get throws {
            let size = try descriptor.fileDescriptor.regularFileSize() ?? 0
            var bytes = [UInt8](repeating: 0, count: size)
            _ = try bytes.withUnsafeMutableBytes { try descriptor.fileDescriptor.read(into: $0, at: 0) }
            return bytes
        }
    }
}

/// Contents whose bytes depend on their positions, so that wrongly joined parts are noticed.
enum TestContent {
    /// Returns content of a length; different seeds give different content.
    static func bytes(_ count: Int, seed: UInt32 = 0) -> [UInt8] {
        let words = (0..<UInt32((count + 3) / 4)).map { ($0 &+ seed &* 7919) &* 2_654_435_761 }
        return words.withUnsafeBytes { Array($0.prefix(count)) }
    }
}

extension EngineTransfer {
    /// Creates a transfer outside an engine, which continues with the held bytes of its part file. The test calls its
    /// methods, and receives its events from the returned socket.
    static func continuing(
        _ part: SharedDescriptor, heldLength: Int64 = 0
    ) throws -> (transfer: EngineTransfer, ledger: MessageSocket) {
        let (ledger, engineEnd) = try MessageSocket.pair(messageLimit: EngineLimits.messageBytes)
        let request = TransferRequest(address: "http://127.0.0.1:1/", allowsInsecureHTTP: true)
        let order = TransferOrder(transfer: 1, request: request, held: HeldContent(length: heldLength))
        let services = Services(output: EngineOutput(engineEnd), synchronizer: try FileSynchronizer())
        return (try EngineTransfer(order, [part], services), ledger)
    }
}
