import Testing

@testable import SwiftPlay

@Suite struct EndPlanTests {
    private static let actions: [PlayerActionAtItemEnd] = [.advance, .pause, .none]
    /// The test values for each time that the plan receives, in nanoseconds; nil: the time is unknown.
    private static let candidateTimes: [Int64?] = [nil, 0, 5, 10, 15]

    @Test func endOfAnItemFailsLoopsAdvancesPausesOrContinues() {
        for action in Self.actions {
            for bits in 0..<4 {
                for loopStart in [nil, Int64(3)] {
                    let (isReported, isUnplayable) = (bits & 1 != 0, bits & 2 != 0)
                    let outcome = EndPlan.endAction(
                        isReported: isReported, isUnplayable: isUnplayable, loopStart: loopStart, action: action)
                    let expected: EndPlan.Outcome =
                        if isReported { .none } else if isUnplayable { .fail } else if let loopStart {
                            .loop(to: loopStart)
                        } else {
                            switch action {
                            case .advance: .end([.notify, .advance])
                            case .pause: .end([.pause, .notify])
                            case .none: .end([.notify, .continueClock])
                            }
                        }
                    #expect(outcome == expected, "\(action) \(bits) \(String(describing: loopStart))")
                }
            }
        }
    }

    @Test func newActionAtItemEndAppliesImmediatelyAfterTheEnd() {
        for phase in [PlaybackPhase?.none, .opening, .priming, .ready, .playing, .failed] {
            for isReported in [true, false] {
                #expect(
                    EndPlan.appliesImmediately(isReported: isReported, phase: phase)
                        == (isReported && phase == .playing))
            }
        }
        #expect(Self.actions.map(EndPlan.action) == [.advance, .pause, .continueClock])
    }

    @Test func itemEndsAtTheEarlierOfChosenEndAndDuration() {
        for chosen in Self.candidateTimes {
            for duration in Self.candidateTimes {
                let end = EndPlan.end(chosen: chosen, duration: duration)
                #expect(end == [chosen, duration].compactMap(\.self).min())
            }
        }
    }

    @Test func framesAreHiddenFromTheChosenEndOrTheLoopEnd() {
        for chosen in Self.candidateTimes {
            for loopEnd in Self.candidateTimes + [.max] {
                for time in [Int64(0), 5, 10, 20] {
                    let hidden = EndPlan.firstHiddenFrameTime(chosen: chosen, loop: loopEnd.map { (0, $0) }, time: time)
                    let isAhead = loopEnd.map { $0 != .max && $0 > time } ?? false
                    #expect(hidden == chosen ?? (isAhead ? loopEnd : nil))
                }
            }
        }
    }

    @Test func loopSeeksToItsStartIfTheItemIsSeekable() {
        for duration in Self.candidateTimes {
            for isSeekable in [true, false] {
                #expect(EndPlan.loopStart(nil, duration: duration, isSeekable: isSeekable) == nil)
                for start in [Int64(0), 9, 10, 11] {
                    let back = EndPlan.loopStart((start, 20), duration: duration, isSeekable: isSeekable)
                    #expect(back == (isSeekable && start < duration ?? .max ? start : nil))
                }
            }
        }
    }

    @Test func loopRestartsAtItsEndButNotFarBehindIt() {
        let second = EndPlan.loopTolerance
        var clock = PlaybackClock()
        clock.start(at: 10 * second, host: 50 * second, rate: 2)
        let at = { (end: Int64) in EndPlan.hasReachedEnd(of: (0, end), clock, now: 50 * second) }
        #expect(at(10 * second) && at(9 * second + 1) && at(10 * second - 1))
        #expect(!at(10 * second + 2) && !at(9 * second) && !at(.max))
        #expect(!EndPlan.hasReachedEnd(of: nil, clock, now: 50 * second))
        clock.stop(at: 50 * second)
        #expect(!at(10 * second), "a stopped clock reaches no end")
    }

    @Test func pauseAtEndStopsAtTheEndUnlessTheVideoIsLonger() {
        for chosen in Self.candidateTimes {
            for duration in Self.candidateTimes {
                for pictureEnd in Self.candidateTimes {
                    let time = EndPlan.pausedTime(chosen: chosen, duration: duration, pictureEnd: pictureEnd)
                    let isLonger = duration.map { pictureEnd ?? 0 > $0 } ?? true
                    #expect(time == (isLonger ? nil : EndPlan.end(chosen: chosen, duration: duration)))
                }
            }
        }
    }
}
