import Testing

@testable import SwiftPlay

@Suite struct StallPlanTests {
    private static let now: Int64 = 50_000_000_000
    private static let stallDelay = StallPlan.stallDelay
    private static let pollInterval = StallPlan.pollInterval

    /// Returns a clock whose media time is 10 s at the host time ``now``.
    private static func clock(rate: Double) -> PlaybackClock {
        var clock = PlaybackClock()
        clock.start(at: 10_000_000_000, hostTime: now, rate: rate)
        return clock
    }

    /// The situations in which no video frame is available, for every combination of inputs.
    private static let underruns: [StallPlan.UnderrunState] = {
        let ends: [Int64?] = [
            nil, 9_000_000_000, 10_000_000_000 - stallDelay, 10_000_000_000 - stallDelay + 1, 10_000_000_000,
            10_000_000_001,
        ]
        let deadlines: [Int64?] = [nil, now, now + 1, now + stallDelay + 1]
        var states: [StallPlan.UnderrunState] = []
        for bits in 0..<32 {
            for end in ends {
                for deadline in deadlines {
                    states.append(
                        StallPlan.UnderrunState(
                            hasVideoEnded: bits & 1 != 0, hasAudioEnded: bits & 2 != 0, isAudioStarved: bits & 4 != 0,
                            isBufferEmpty: bits & 8 != 0, lastFrameEndTime: end, catchUpDeadline: deadline,
                            isUntimed: bits & 16 != 0))
                }
            }
        }
        return states
    }()

    @Test func missingFrameCausesAWaitAStallOrTheEnd() {
        let clock = Self.clock(rate: 1)
        for underrun in Self.underruns {
            let step = StallPlan.action(for: underrun, clock, now: Self.now)
            let end = underrun.lastFrameEndTime.flatMap(clock.hostTime)
            let expected: StallPlan.Action
            if underrun.hasVideoEnded {
                if let end, end > Self.now, !underrun.isUntimed {
                    expected = .wait(until: end)
                } else if underrun.hasAudioEnded {
                    expected = .end
                } else {
                    expected =
                        underrun.isAudioStarved && underrun.isBufferEmpty
                        ? .stall(at: nil, checkAgainAt: Self.now + Self.pollInterval)
                        : .wait(until: Self.now + Self.pollInterval)
                }
            } else if let end, underrun.hasAudioEnded || underrun.isAudioStarved {
                let stallTime = end + Self.stallDelay
                if stallTime > Self.now {
                    expected = .wait(until: stallTime)
                } else if let deadline = underrun.catchUpDeadline, deadline > Self.now {
                    expected = .wait(until: min(deadline, Self.now + Self.stallDelay))
                } else {
                    expected = .stall(at: underrun.lastFrameEndTime, checkAgainAt: nil)
                }
            } else {
                expected = .wait(until: underrun.hasAudioEnded ? nil : Self.now + Self.stallDelay)
            }
            #expect(step == expected, "\(underrun)")
        }
    }

    @Test func itemEndsOnlyAfterItsVideoAndItsAudio() {
        for rate in [0.5, 1, 2] {
            let clock = Self.clock(rate: rate)
            for underrun in Self.underruns where StallPlan.action(for: underrun, clock, now: Self.now) == .end {
                #expect(underrun.hasVideoEnded && underrun.hasAudioEnded)
                #expect(
                    underrun.isUntimed || underrun.lastFrameEndTime.flatMap(clock.hostTime) ?? 0 <= Self.now,
                    "\(underrun)")
            }
        }
    }

    @Test func waitDeadlinesAreNeverInThePast() {
        for rate in [0.5, 1, 2] {
            for underrun in Self.underruns {
                switch StallPlan.action(for: underrun, Self.clock(rate: rate), now: Self.now) {
                case .wait(let until), .stall(_, let until): #expect(until.map { $0 > Self.now } ?? true, "\(underrun)")
                case .end: break
                }
            }
        }
    }

    @Test func stoppedClockNeverStallsForVideo() {
        for underrun in Self.underruns where !underrun.hasVideoEnded {
            let step = StallPlan.action(for: underrun, Self.clock(rate: 0), now: Self.now)
            #expect(step == .wait(until: underrun.hasAudioEnded ? nil : Self.now + Self.stallDelay))
        }
    }

    @Test func playbackContinuesWithEnoughDataOrAfterALongWait() {
        for bits in 0..<32 {
            let isRemote = bits & 16 != 0
            let limit = isRemote ? StallPlan.longestNetworkWait : StallPlan.longestLocalWait
            for waitingTime in [0, limit, limit + 1] {
                let stalledState = StallPlan.StalledState(
                    isVideoReady: bits & 1 != 0, isAudioReady: bits & 2 != 0, startsImmediately: bits & 4 != 0,
                    isLikelyToKeepUp: bits & 8 != 0, isRemote: isRemote, stallHostTime: Self.now - waitingTime)
                let isComplete = stalledState.isVideoReady && stalledState.isAudioReady
                let isEnough = stalledState.startsImmediately || stalledState.isLikelyToKeepUp || waitingTime > limit
                let nextCheckTime = StallPlan.nextCheckTime(for: stalledState, now: Self.now)
                #expect(
                    nextCheckTime == (isComplete && isEnough ? nil : Self.now + Self.pollInterval), "\(stalledState)")
            }
        }
    }
}
