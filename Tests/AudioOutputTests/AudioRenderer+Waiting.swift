import SystemCalls

@testable import AudioOutput

extension AudioRenderer {
    /// Collects the renderer's events up to the first one that `isLast` accepts, and returns them. Returns nil if that
    /// takes more than 10 s.
    func events(until isLast: (AudioEvent) -> Bool) throws -> [AudioEvent]? {
        var events: [AudioEvent] = []
        let deadline = MonotonicTime.now + 10 * MonotonicTime.nanosecondsPerSecond
        while try Poll.waitReadable(eventsAvailable.raw, until: deadline) {
            let newEvents = takeEvents()
            events += newEvents
            if newEvents.contains(where: isLast) { return events }
        }
        return nil
    }

    /// Reads the audio clock every 5 ms until `isExpected` accepts a reading, and returns that reading. Returns nil if
    /// that takes more than 10 s.
    func waitForReading(_ isExpected: (AudioClock.Reading) -> Bool) throws -> AudioClock.Reading? {
        let unsignalledEvent = try EventDescriptor()
        let deadline = MonotonicTime.now + 10 * MonotonicTime.nanosecondsPerSecond
        while MonotonicTime.now < deadline {
            if let reading, isExpected(reading) { return reading }
            _ = try Poll.waitReadable(unsignalledEvent.raw, until: MonotonicTime.now + 5_000_000)
        }
        return nil
    }
}
