import Testing

@testable import PushPolicy

@Suite struct ListenPolicyTests {
    private static let inputs: [ListenPolicy.Input] = [
        .wanted(true), .wanted(false), .topicsChanged, .line, .ended(retryAfter: nil, isRefused: false),
        .ended(retryAfter: .seconds(300), isRefused: false), .ended(retryAfter: nil, isRefused: true), .networkChanged,
        .timer,
    ]

    private func policy(_ inputs: ListenPolicy.Input...) -> ListenPolicy {
        var policy = ListenPolicy()
        for input in inputs { _ = policy.handle(input, now: .zero, spread: 0.5) }
        return policy
    }

    /// Explores all states that inputs lead to within five steps.
    @Test func thereIsOneStreamWhileAProgramListensAndNoneOtherwise() {
        var layer: [(policy: ListenPolicy, hasStream: Bool, isWanted: Bool)] = [(ListenPolicy(), false, false)]
        for step in 0..<5 {
            var next: [(ListenPolicy, Bool, Bool)] = []
            for (old, hadStream, wasWanted) in layer {
                for input in Self.inputs {
                    var new = old, hasStream = hadStream, isWanted = wasWanted
                    if case .wanted(let value) = input { isWanted = value }
                    if case .ended = input {
                        // Only an open stream ends.
                        guard hadStream else { continue }
                        hasStream = false
                    }
                    let now = Duration.seconds(1000 * step)
                    for action in new.handle(input, now: now, spread: 0.5) {
                        #expect(hasStream == (action == .disconnect))
                        hasStream = action == .connect
                    }
                    #expect(hasStream == (new.state == .connecting || new.state == .open))
                    #expect(isWanted == (new.state != .off))
                    #expect((new.nextTime != nil) == (isWanted && !hasStream))
                    next.append((new, hasStream, isWanted))
                }
            }
            layer = next
        }
    }

    @Test func delaysDoubleUpToTwoMinutes() {
        var policy = policy(.wanted(true)), delays: [Duration] = [], now = Duration.zero
        for _ in 0..<9 {
            _ = policy.handle(.ended(retryAfter: nil, isRefused: false), now: now, spread: 0.5)
            delays.append((policy.nextTime ?? .zero) - now)
            now = policy.nextTime ?? .zero
            #expect(policy.handle(.timer, now: now, spread: 0.5) == [.connect])
        }
        #expect(delays == [2, 4, 8, 16, 32, 64, 120, 120, 120].map { .seconds($0) })
    }

    @Test func aLineShortensTheNextDelay() {
        let ended = ListenPolicy.Input.ended(retryAfter: nil, isRefused: false)
        var policy = policy(.wanted(true), ended, .networkChanged, ended, .networkChanged, .line)
        _ = policy.handle(ended, now: .zero, spread: 0.5)
        #expect(policy.nextTime == .seconds(2))
    }

    @Test func delaysDifferBetweenMachines() {
        let times = [0, 0.5, 1].map { spread -> Duration? in
            var policy = policy(.wanted(true))
            _ = policy.handle(.ended(retryAfter: nil, isRefused: false), now: .zero, spread: spread)
            return policy.nextTime
        }
        #expect(times == [.milliseconds(1500), .seconds(2), .milliseconds(2500)])
    }

    @Test func theServerMayAskForALongerDelay() {
        let policy = policy(.wanted(true), .ended(retryAfter: .seconds(300), isRefused: false))
        #expect(policy.nextTime == .seconds(300))
    }

    @Test func aRefusalWaitsForTheLongestDelay() {
        #expect(policy(.wanted(true), .ended(retryAfter: nil, isRefused: true)).nextTime == .seconds(120))
    }

    @Test func aNewNetworkOpensTheStreamAtOnce() {
        var waiting = policy(.wanted(true), .ended(retryAfter: nil, isRefused: true))
        #expect(waiting.handle(.networkChanged, now: .zero, spread: 0) == [.connect])
        var open = policy(.wanted(true), .line)
        #expect(open.handle(.networkChanged, now: .zero, spread: 0) == [.disconnect, .connect])
    }

    @Test func anEarlyTimerDoesNothing() {
        var policy = policy(.wanted(true), .ended(retryAfter: nil, isRefused: false))
        #expect(policy.handle(.timer, now: .seconds(1), spread: 0.5) == [])
    }
}
