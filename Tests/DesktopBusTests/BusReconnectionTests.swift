import DesktopBus
import SystemCalls
import Testing

@Suite struct BusReconnectionTests {
    private static let second = MonotonicTime.nanosecondsPerSecond

    @Test func delaysDoubleUpToALimit() {
        var reconnection = BusReconnection()
        let delays = (0..<10).map { _ in
            reconnection.handleLoss(now: 5)
            return ((reconnection.time ?? 0) - 5) / Self.second
        }
        #expect(delays == [1, 2, 4, 8, 16, 32, 64, 128, 256, 256])
    }

    @Test func anAnswerShortensTheNextDelay() {
        var reconnection = BusReconnection()
        for _ in 0..<4 { reconnection.handleLoss(now: 0) }
        reconnection.handleAnswer()
        reconnection.handleLoss(now: 0)
        #expect(reconnection.time == Self.second)
    }

    @Test func anAttemptIsTakenOnceAndWhenItIsDue() {
        var reconnection = BusReconnection()
        var attempts = [reconnection.takeAttempt(now: .max)]
        reconnection.handleLoss(now: 0)
        for now in [Self.second - 1, Self.second, .max] { attempts.append(reconnection.takeAttempt(now: now)) }
        #expect(attempts == [false, false, true, false] && reconnection.time == nil)
    }
}
