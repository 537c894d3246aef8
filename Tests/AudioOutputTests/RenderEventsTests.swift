import Glibc
import SystemCalls
import Testing

@testable import AudioOutput

@Suite struct RenderEventsTests {
    private let events: RenderEvents

    init() throws { events = try RenderEvents() }

    /// Returns and clears the pending events of the render thread. `flush`: the number of the newest flush.
    private func takeEvents(flush: Int = 0) -> [AudioEvent] { events.take(flush: flush, device: "hw:7") }

    @Test("No events are returned before the first one")
    func noEventsAreReturnedIfNoneHasOccurred() {
        #expect(takeEvents() == [] && events.underruns == 0)
        #expect(!events.descriptor.drain())
    }

    @Test("Repeated underruns are merged into one event with their total")
    func repeatedUnderrunsBecomeOneEventWithTheTotal() {
        for _ in 0..<3 { events.countUnderrun() }
        #expect(takeEvents() == [.underrun(count: 3)])
        #expect(takeEvents() == [])
        events.countUnderrun()
        #expect(takeEvents() == [.underrun(count: 4)])
        #expect(events.underruns == 4)
    }

    @Test("Repeated recoveries are merged and counted")
    func repeatedRecoveriesBecomeOneEventAndAreCounted() {
        events.countRecovery()
        events.countRecovery()
        #expect(takeEvents() == [.recovered] && events.recoveries == 2)
        #expect(takeEvents() == [])
    }

    @Test("The drain event of a stream from before the newest flush is discarded")
    func drainEventFromBeforeAFlushIsDiscarded() {
        events.reportDrained(flush: 1)
        #expect(takeEvents(flush: 2) == [])
        #expect(takeEvents(flush: 1) == [])
    }

    @Test("The drain after the newest flush is reported")
    func drainEventAfterTheNewestFlushIsReported() {
        events.reportDrained(flush: 1)
        events.reportDrained(flush: 2)
        #expect(takeEvents(flush: 2) == [.drained])
        #expect(takeEvents(flush: 2) == [])
    }

    @Test("A failure is reported once, with the name of the device")
    func failureIsReportedOnceWithTheDeviceName() {
        let reason = PCMFailure(.write, ENODEV)
        events.reportFailure(reason)
        #expect(takeEvents() == [.failed(AudioOutputError(device: "hw:7", failure: reason))])
        events.reportFailure(PCMFailure(.prepare, EIO))
        #expect(takeEvents() == [], "the device is lost once")
    }

    @Test("Simultaneous events are returned in a fixed order")
    func simultaneousEventsAreReturnedInAFixedOrder() {
        events.reportFailure(PCMFailure(.write, EIO))
        events.reportDrained(flush: 0)
        events.countRecovery()
        events.countUnderrun()
        let error = AudioOutputError(device: "hw:7", failure: PCMFailure(.write, EIO))
        #expect(takeEvents() == [.underrun(count: 1), .recovered, .drained, .failed(error)])
    }

    @Test("The descriptor is readable from an event until it is taken")
    func descriptorIsReadableUntilTheEventIsTaken() throws {
        events.countRecovery()
        #expect(try Poll.waitReadable(events.descriptor.raw, until: 0))
        _ = takeEvents()
        #expect(try !Poll.waitReadable(events.descriptor.raw, until: 0))
    }
}
