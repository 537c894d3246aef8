import Testing

@testable import SwiftPlay

@Suite struct StallPlanTests {
    private static let now: Int64 = 50_000_000_000
    private static let timeout = StallPlan.stallDelay
    private static let pollInterval = StallPlan.pollInterval

    /// Returns a clock whose media time is 10 s at the host time ``now``.
    private static func clock(rate: Double) -> PlaybackClock {
        var clock = PlaybackClock()
        clock.start(at: 10_000_000_000, host: now, rate: rate)
        return clock
    }

    /// The situations in which no video frame is available, for every combination of inputs.
    private static let underruns: [StallPlan.UnderrunState] = {
        let ends: [Int64?] = [
            nil, 9_000_000_000, 10_000_000_000 - timeout, 10_000_000_000 - timeout + 1, 10_000_000_000,
            10_000_000_001,
        ]
        let deadlines: [Int64?] = [nil, now, now + 1, now + timeout + 1]
        var all: [StallPlan.UnderrunState] = []
        for bits in 0..<32 {
            for end in ends {
                for deadline in deadlines {
                    all.append(
                        StallPlan.UnderrunState(
                            hasPictureEnded: bits & 1 != 0, hasAudioEnded: bits & 2 != 0, isStarved: bits & 4 != 0,
                            isEmpty: bits & 8 != 0, pictureEnd: end, catchUpDeadline: deadline,
                            isUntimed: bits & 16 != 0))
                }
            }
        }
        return all
    }()

    @Test func missingFrameCausesAWaitAStallOrTheEnd() {
        let clock = Self.clock(rate: 1)
        for underrun in Self.underruns {
            let step = StallPlan.action(for: underrun, clock, now: Self.now)
            let end = underrun.pictureEnd.flatMap(clock.hostTime)
            let expected: StallPlan.Action
            if underrun.hasPictureEnded {
                if let end, end > Self.now, !underrun.isUntimed {
                    expected = .wait(until: end)
                } else if underrun.hasAudioEnded {
                    expected = .end
                } else {
                    expected =
                        underrun.isStarved && underrun.isEmpty
                        ? .stall(at: nil, wait: Self.now + Self.pollInterval)
                        : .wait(until: Self.now + Self.pollInterval)
                }
            } else if let end, underrun.hasAudioEnded || underrun.isStarved {
                let late = end + Self.timeout
                if late > Self.now {
                    expected = .wait(until: late)
                } else if let deadline = underrun.catchUpDeadline, deadline > Self.now {
                    expected = .wait(until: min(deadline, Self.now + Self.timeout))
                } else {
                    expected = .stall(at: underrun.pictureEnd, wait: nil)
                }
            } else {
                expected = .wait(until: underrun.hasAudioEnded ? nil : Self.now + Self.timeout)
            }
            #expect(step == expected, "\(underrun)")
        }
    }

    @Test func itemEndsOnlyAfterItsVideoAndItsAudio() {
        for rate in [0.5, 1, 2] {
            let clock = Self.clock(rate: rate)
            for underrun in Self.underruns where StallPlan.action(for: underrun, clock, now: Self.now) == .end {
                #expect(underrun.hasPictureEnded && underrun.hasAudioEnded)
                #expect(
                    underrun.isUntimed || underrun.pictureEnd.flatMap(clock.hostTime) ?? 0 <= Self.now, "\(underrun)")
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
        for underrun in Self.underruns where !underrun.hasPictureEnded {
            let step = StallPlan.action(for: underrun, Self.clock(rate: 0), now: Self.now)
            #expect(step == .wait(until: underrun.hasAudioEnded ? nil : Self.now + Self.timeout))
        }
    }

    @Test func playbackContinuesWithEnoughDataOrAfterALongWait() {
        for bits in 0..<32 {
            let isRemote = bits & 16 != 0
            let limit = isRemote ? StallPlan.longestNetworkWait : StallPlan.longestLocalWait
            for waited in [0, limit, limit + 1] {
                let stalled = StallPlan.StalledState(
                    hasPicture: bits & 1 != 0, hasAudio: bits & 2 != 0, isImmediate: bits & 4 != 0,
                    isLikelyToKeepUp: bits & 8 != 0, isRemote: isRemote, since: Self.now - waited)
                let isComplete = stalled.hasPicture && stalled.hasAudio
                let isEnough = stalled.isImmediate || stalled.isLikelyToKeepUp || waited > limit
                let wait = StallPlan.wait(stalled, now: Self.now)
                #expect(wait == (isComplete && isEnough ? nil : Self.now + Self.pollInterval), "\(stalled)")
            }
        }
    }
}
