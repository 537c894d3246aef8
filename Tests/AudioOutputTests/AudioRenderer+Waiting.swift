import SystemCalls

@testable import AudioOutput

extension AudioRenderer {
    /// Collects events until one passes `isLast`; nil when that takes more than 10 s.
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

    /// Waits until the clock passes `test`, looking each time the render thread makes room, or 5 ms later.
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
