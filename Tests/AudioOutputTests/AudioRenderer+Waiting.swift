import SystemCalls

@testable import AudioOutput

extension AudioRenderer {
    /// Collects the renderer's events up to the first one that `isLast` accepts, and returns them. Returns nil if that
    /// takes more than 10 s.
    func events(until isLast: (AudioEvent) -> Bool) throws -> [AudioEvent]? {
        var all: [AudioEvent] = []
        let deadline = MonotonicTime.now + 10 * MonotonicTime.nanosecondsPerSecond
        while try Poll.waitReadable(eventsAvailable.raw, until: deadline) {
            let new = takeEvents()
            all += new
            if new.contains(where: isLast) { return all }
        }
        return nil
    }

    /// Reads the audio clock every 5 ms until `test` accepts a reading, and returns it. Returns nil if that takes more
    /// than 10 s.
    func waitForReading(_ test: (AudioClock.Reading) -> Bool) throws -> AudioClock.Reading? {
        let pulse = try EventDescriptor()
        let deadline = MonotonicTime.now + 10 * MonotonicTime.nanosecondsPerSecond
        while MonotonicTime.now < deadline {
            if let reading, test(reading) { return reading }
            _ = try Poll.waitReadable(pulse.raw, until: MonotonicTime.now + 5_000_000)
        }
        return nil
    }
}
