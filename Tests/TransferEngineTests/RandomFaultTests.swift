import BackgroundProtocol
import SystemCalls
import TestSupport
import Testing
import TransferPolicy

@testable import TransferEngine

/// Downloads from servers that answer every second request with a random fault, until the content is whole.
@Suite struct RandomFaultTests {
    /// A server of one content, whose faults are random and which changes the content now and then.
    private struct FaultyContent {
        var generator: SeededGenerator
        /// The version of the content; its entity tag and its bytes depend on it.
        var version: UInt32 = 0
        /// Whether the entity tags are strong.
        let hasStrongTags: Bool

        var content: [UInt8] { TestContent.bytes(80_000, seed: version) }
        var tag: String { (hasStrongTags ? "" : "W/") + "\"\(version)\"" }

        /// Returns the response to a request.
        mutating func steps(_ request: FaultServer.Request) -> [FaultServer.Step] {
            if Int.random(in: 0..<12, using: &generator) == 0 { version += 1 }
            let fault = Int.random(in: 0..<20, using: &generator)
            let isMatching = request.fields["if-range"].map { $0 == tag } ?? true
            let start = isMatching ? request.rangeStart ?? 0 : 0
            if request.method == "HEAD" {
                return [.head("HTTP/1.1 200 OK", "Content-Length: 80000", "ETag: \(tag)")]
            }
            switch fault {
            case 0: return [.close]
            case 1: return [.head("HTTP/1.1 503 Busy", "Content-Length: 4"), .text("busy")]
            case 2: return [.text("garbage\r\n\r\n"), .close]
            case 3: return part(from: min(start + 1, 79_999), statedStart: start + 1)
            case 4: return [.head("HTTP/1.1 416 No", "Content-Length: 5", "Content-Range: bytes */7"), .text("<htm>")]
            case 5: return whole()
            case 6: return part(from: start, statedStart: start, "Content-Encoding: gzip")
            case 7...9: return cut(start, .close)
            case 10: return cut(start, .reset)
            default: return start > 0 ? part(from: start, statedStart: start) : whole()
            }
        }

        private func whole() -> [FaultServer.Step] {
            [.head("HTTP/1.1 200 OK", "Content-Length: 80000", "ETag: \(tag)"), .bytes(content)]
        }

        private func part(from start: Int, statedStart: Int, _ lines: String...) -> [FaultServer.Step] {
            let head = [
                "HTTP/1.1 206 Partial", "Content-Length: \(80_000 - start)", "ETag: \(tag)",
                "Content-Range: bytes \(statedStart)-79999/80000",
            ]
            return [.text((head + lines).joined(separator: "\r\n") + "\r\n\r\n"), .bytes(Array(content[start...]))]
        }

        /// Returns a right response that ends early.
        private mutating func cut(_ start: Int, _ end: FaultServer.Step) -> [FaultServer.Step] {
            var steps = start > 0 ? part(from: start, statedStart: start) : whole()
            let sentCount = Int.random(in: 0..<max(1, 80_000 - start), using: &generator)
            steps[1] = .bytes(Array(content[start..<(start + sentCount)]))
            return steps + [end]
        }
    }

    @Test(arguments: [true, false]) func theContentIsWholeAndFromOneVersion(_ hasStrongTags: Bool) throws {
        var generator = SeededGenerator.printingSeed()
        for _ in 0..<15 {
            let faults = Monitor(
                FaultyContent(
                    generator: SeededGenerator(seed: generator.next()), hasStrongTags: hasStrongTags))
            let server = try FaultServer { request in faults.withLock { $0.steps(request) } }
            let engine = try EngineFixture()
            let file = try engine.makeFile()
            var held = HeldContent()
            var isWhole = false
            for _ in 0..<300 where !isWhole {
                let record = try engine.run(engine.order(server.address, held: held), file)
                if let status = record.status, status == 200 || status == 206 { isWhole = true }
                held = held.updated(by: record)
            }
            #expect(isWhole)
            let content = try file.content
            let version = (0...faults.withLock { $0.version }).first { TestContent.bytes(80_000, seed: $0) == content }
            #expect(version != nil, "the file mixes versions of the content")
        }
    }
}

extension HeldContent {
    /// Returns what a ledger knows about the part file after a transfer.
    fileprivate func updated(by record: TransferRecord) -> HeldContent {
        var held = self
        if record.emptiedCount > 0 { held = HeldContent() }
        if let response = record.response, response.status < 300 {
            (held.total, held.validators) = (response.total, response.validators)
        }
        if let failure = record.failure { held.length = failure.durableLength }
        return held
    }
}
