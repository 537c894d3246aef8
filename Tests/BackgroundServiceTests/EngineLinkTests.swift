import BackgroundProtocol
import Foundation
import Logging
import SystemCalls
import TestSupport
import Testing

@testable import BackgroundService

/// The link to real processes.
@Suite struct EngineLinkTests {
    private let link = EngineLink(loop: EventLoop(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    private let scratch: TemporaryDirectory

    init() throws { scratch = try TemporaryDirectory() }

    /// Calls a closure while `program` is the engine's program.
    private func withEngine(_ program: String, _ body: () throws -> Void) rethrows {
        setenv("SWIFTPLAY_TRANSFER", program, 1)
        defer { unsetenv("SWIFTPLAY_TRANSFER") }
        try body()
    }

    /// Waits until the engine runs: the lock file of an engine that is just exiting delays its start.
    private func startEngine() {
        #expect(Deadline.poll(for: .seconds(10)) { link.isReady(now: MonotonicTime.now) ? true : nil } == true)
    }

    /// Processes the messages of the engine until it has exited.
    private func waitForExit() throws {
        let deadline = Deadline.after(.seconds(10))
        while link.processID != nil {
            var entries = link.entries
            guard try Poll.wait(&entries, until: deadline) else { throw TestFailure("the engine does not exit") }
            link.process(entries[...], now: MonotonicTime.now)
        }
    }

    @Test("exits of an idle engine do not delay its next start")
    func idleExitsAreNoFailures() throws {
        try withEngine(try Products.path("swiftplay-transfer")) {
            for _ in 0..<3 {
                startEngine()
                link.setIsBusy(true, now: MonotonicTime.now)
                link.setIsBusy(false, now: MonotonicTime.now)
                link.process([], now: try #require(link.deadline))
                try waitForExit()
                #expect(link.nextStart <= MonotonicTime.now)
            }
        }
    }

    @Test("orders wait for an engine that does not read yet; a stop does not")
    func anEngineThatDoesNotReadIsNotKilledAtOnce() throws {
        let program = scratch.file("engine")
        try Data("#!/bin/sh\nexec sleep 60\n".utf8).write(to: URL(fileURLWithPath: program))
        chmod(program, 0o700)
        try withEngine(program) {
            startEngine()
            let process = try #require(link.processID)
            let field = HeaderField("Cookie", String(repeating: "a", count: 39_000))
            var orderCount = 0
            while link.send(
                .start(
                    TransferOrder(
                        transfer: UInt64(orderCount),
                        request: TransferRequest(address: "https://example.org/", fields: [field]))))
            { orderCount += 1 }
            #expect(orderCount >= 8)
            let now = MonotonicTime.now
            #expect(!link.isReady(now: now) && link.isReady(now: now + 1_000_000_000))
            #expect(ChildProgram.waitForExit(of: process, until: now) == nil, "the engine was killed")
            while link.send(.stop(transfer: 1)) {}
            try waitForExit()
        }
    }
}
