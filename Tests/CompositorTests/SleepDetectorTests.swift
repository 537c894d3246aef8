import Testing

@testable import Compositor

@Suite("The machine's sleep")
struct SleepDetectorTests {
    private enum Input {
        case prepare(Bool)
        case look
    }

    /// Whether each input, at so many seconds of sleep, tells of a wake-up.
    private func wakes(after start: Int64 = 0, _ inputs: (Input, Double)...) -> [Bool] {
        var detector = SleepDetector(asleep: start * 1_000_000_000)
        return inputs.map { input, seconds in
            let asleep = Int64(seconds * 1e9)
            return switch input {
            case .prepare(let begins): detector.prepareForSleep(begins, asleep: asleep)
            case .look: detector.look(asleep: asleep)
            }
        }
    }

    @Test("logind announces the sleep and its end: one wake-up, whether the clocks are read before or after")
    func once() {
        #expect(
            wakes(after: 5, (.prepare(true), 5), (.look, 5), (.look, 65), (.prepare(false), 65), (.look, 65)) == [
                false, false, true, false, false,
            ])
        #expect(
            wakes(after: 5, (.prepare(true), 5), (.look, 5), (.prepare(false), 65), (.look, 65)) == [
                false, false, true, false,
            ])
    }

    @Test("without logind the clocks reveal each sleep once; a small difference does not count")
    func clocks() {
        #expect(wakes((.look, 0.9), (.look, 2), (.look, 2), (.look, 4)) == [false, true, false, true])
    }

    @Test("an announced sleep ends with logind's signal; an end without a sleep does not count")
    func announced() {
        #expect(
            wakes((.prepare(false), 0), (.prepare(true), 0), (.prepare(false), 0), (.prepare(false), 0)) == [
                false, false, true, false,
            ])
    }
}
