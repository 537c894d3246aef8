import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import HTTPTransfer

/// Tests the events that transfers from a real HTTP server report.
@Suite struct TransferObserverTests {
    private final class EventRecorder: TransferObserver {
        private let recordedEvents = Monitor<[TransferEvent]>([])
        func handle(_ event: TransferEvent, at now: Int64) { recordedEvents.update { $0.append(event) } }

        /// Waits for the `ended` events of `count` transfers, and returns all events recorded so far.
        func events(ofTransfers count: Int) throws -> [TransferEvent] {
            let completeEvents: [TransferEvent]? = recordedEvents.wait(until: Deadline.after(.seconds(60))) { events in
                let endedCount = events.count { if case .ended = $0 { true } else { false } }
                return endedCount >= count ? events : nil
            }
            return try #require(completeEvents)
        }
    }

    /// Reads a resource until its end or until an error, and returns the events of the transfer.
    private func eventsOfFetching(
        _ path: String, serverSettings: String = "{}", queueLimit: Int = 4 << 20, isMedia: Bool = true
    ) throws -> [TransferEvent] {
        let server = try LinkServer(Fixtures.directory, serverSettings), eventRecorder = EventRecorder()
        let transfers = try HTTPTransfers(), unsignalledEvent = try EventDescriptor()
        var options = HTTPOptions()
        options.observation = TransferObservation(eventRecorder)
        var request = HTTPRequest(server.address + path, options: options)
        (request.queueLimit, request.isMedia) = (queueLimit, isMedia)
        let transfer = try transfers.start(request)
        let noInterruption = TransferInterruption(events: [unsignalledEvent]) { false }
        while let part = try? transfer.next(64 * 1024, noInterruption), part != .end {}
        return try eventRecorder.events(ofTransfers: 1)
    }

    /// Returns the number of bytes that the events report.
    private func byteCount(_ events: [TransferEvent]) -> Int {
        events.reduce(0) { count, event in
            switch event {
            case .received(let bytes): count + bytes
            case .ended(_, let uncounted, _): count + Int(uncounted)
            default: count
            }
        }
    }

    @Test func eachTransferredByteIsReportedOnce() throws {
        let size = try Data(contentsOf: URL(fileURLWithPath: Fixtures.path("short.mp4"))).count
        let events = try eventsOfFetching("/short.mp4", queueLimit: 16 * 1024)
        #expect(events.first == .began(isMedia: true) && byteCount(events) == size)
        #expect(events[1] == .responded(host: "127.0.0.1", serverAddress: "127.0.0.1"))
        #expect(events.last == .ended(wasPaused: false, uncounted: 0, failure: nil))
        #expect(events.count { $0 == .paused } == events.count { $0 == .resumed })
    }

    @Test func failedTransferReportsTheBytesOfTheErrorPage() throws {
        let events = try eventsOfFetching("/nothing.mp4", isMedia: false)
        guard case .ended(false, let uncounted, let failure?)? = events.last else {
            throw TestFailure("no failure: \(events)")
        }
        #expect(events.first == .began(isMedia: false) && uncounted == Int64("not found".utf8.count))
        #expect(failure.error.code == .status(404) && failure.serverAddress == "127.0.0.1")
    }
}
