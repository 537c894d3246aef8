import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import HTTPTransfer

/// Tests the events that transfers from a real HTTP server report.
@Suite struct TransferObserverTests {
    private final class Recorder: TransferObserver {
        private let recorded = Monitor<[TransferEvent]>([])
        func handle(_ event: TransferEvent, at now: Int64) { recorded.update { $0.append(event) } }

        /// Returns the events once there are as many `ended` events as transfers.
        func events(ofTransfers count: Int) throws -> [TransferEvent] {
            let found: [TransferEvent]? = recorded.wait(until: Deadline.after(.seconds(60))) { events in
                let ends = events.count { if case .ended = $0 { true } else { false } }
                return ends >= count ? events : nil
            }
            return try #require(found)
        }
    }

    /// Requests a resource, and reads it until its end or until an error.
    private func fetch(
        _ path: String, _ settings: String = "{}", queueLimit: Int = 4 << 20, isMedia: Bool = true
    ) throws -> [TransferEvent] {
        let server = try LinkServer(Fixtures.directory, settings), recorder = Recorder()
        let transfers = try HTTPTransfers(), stop = try EventDescriptor()
        var options = HTTPOptions()
        options.observation = TransferObservation(recorder)
        var request = HTTPRequest(server.address + path, options: options)
        (request.queueLimit, request.isMedia) = (queueLimit, isMedia)
        let transfer = try transfers.start(request)
        let noInterruption = TransferInterruption(events: [stop]) { false }
        while let part = try? transfer.next(64 * 1024, noInterruption), part != .end {}
        return try recorder.events(ofTransfers: 1)
    }

    private func byteCount(_ events: [TransferEvent]) -> Int {
        events.reduce(0) { count, event in
            switch event {
            case .received(let bytes): count + bytes
            case .ended(_, let uncounted, _): count + Int(uncounted)
            default: count
            }
        }
    }

    @Test func eachByteIsReportedOnce() throws {
        let size = try Data(contentsOf: URL(fileURLWithPath: Fixtures.path("short.mp4"))).count
        let events = try fetch("/short.mp4", queueLimit: 16 * 1024)
        #expect(events.first == .began(isMedia: true) && byteCount(events) == size)
        #expect(events[1] == .responded(host: "127.0.0.1", serverAddress: "127.0.0.1"))
        #expect(events.last == .ended(wasPaused: false, uncounted: 0, failure: nil))
        #expect(events.count { $0 == .paused } == events.count { $0 == .resumed })
    }

    @Test func errorPagesAreFailuresWithBytes() throws {
        let events = try fetch("/nothing.mp4", isMedia: false)
        guard case .ended(false, let uncounted, let failure?)? = events.last else {
            throw TestFailure("no failure: \(events)")
        }
        #expect(events.first == .began(isMedia: false) && uncounted == Int64("not found".utf8.count))
        #expect(failure.error.code == .status(404) && failure.serverAddress == "127.0.0.1")
    }
}
