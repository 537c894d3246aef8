import Testing

@testable import SwiftPlay

@Suite struct EndPlanTests {
    private static let actions: [PlayerActionAtItemEnd] = [.advance, .pause, .none]
    /// The test values for each time that the plan receives, in nanoseconds; nil: the time is unknown.
    private static let candidateTimes: [Int64?] = [nil, 0, 5, 10, 15]

    @Test func itemEndCausesAFailureALoopAnAdvanceAPauseOrARunningClock() {
        for action in Self.actions {
            for bits in 0..<4 {
                for loopStart in [nil, Int64(3)] {
                    let (hasReportedEnd, isUnplayable) = (bits & 1 != 0, bits & 2 != 0)
                    let outcome = EndPlan.outcome(
                        hasReportedEnd: hasReportedEnd, isUnplayable: isUnplayable, loopStart: loopStart,
                        actionAtItemEnd: action)
                    let expected: EndPlan.Outcome =
                        if hasReportedEnd { .none } else if isUnplayable { .fail } else if let loopStart {
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

    @Test func changedActionAtItemEndAppliesWhileTheClockRunsAfterTheEnd() {
        for phase in [PlaybackPhase?.none, .opening, .priming, .ready, .playing, .failed] {
            for hasReportedEnd in [true, false] {
                #expect(
                    EndPlan.appliesImmediately(hasReportedEnd: hasReportedEnd, phase: phase)
                        == (hasReportedEnd && phase == .playing))
            }
        }
        #expect(Self.actions.map(EndPlan.action(for:)) == [.advance, .pause, .continueClock])
    }

    @Test func itemEndsAtTheEarlierOfForwardPlaybackEndTimeAndDuration() {
        for forwardPlaybackEndTime in Self.candidateTimes {
            for duration in Self.candidateTimes {
                let end = EndPlan.endTime(forwardPlaybackEndTime: forwardPlaybackEndTime, duration: duration)
                #expect(end == [forwardPlaybackEndTime, duration].compactMap(\.self).min())
            }
        }
    }

    @Test func framesAfterForwardPlaybackEndTimeOrLoopEndAreNotShown() {
        for forwardPlaybackEndTime in Self.candidateTimes {
            for loopEnd in Self.candidateTimes + [.max] {
                for time in [Int64(0), 5, 10, 20] {
                    let firstHiddenFrameTime = EndPlan.firstHiddenFrameTime(
                        forwardPlaybackEndTime: forwardPlaybackEndTime, loop: loopEnd.map { (0, $0) }, time: time)
                    let isAhead = loopEnd.map { $0 != .max && $0 > time } ?? false
                    #expect(firstHiddenFrameTime == forwardPlaybackEndTime ?? (isAhead ? loopEnd : nil))
                }
            }
        }
    }

    @Test func loopSeeksToItsStartIfTheItemIsSeekable() {
        for duration in Self.candidateTimes {
            for isSeekable in [true, false] {
                #expect(EndPlan.loopStart(nil, duration: duration, isSeekable: isSeekable) == nil)
                for start in [Int64(0), 9, 10, 11] {
                    let loopStart = EndPlan.loopStart((start, 20), duration: duration, isSeekable: isSeekable)
                    #expect(loopStart == (isSeekable && start < duration ?? .max ? start : nil))
                }
            }
        }
    }

    @Test func loopRestartsAtItsEndButNotFarBeyondIt() {
        let second = EndPlan.loopTolerance
        var clock = PlaybackClock()
        clock.start(at: 10 * second, hostTime: 50 * second, rate: 2)
        let hasReachedEnd = { (end: Int64) in EndPlan.hasReachedEnd(of: (0, end), clock, now: 50 * second) }
        #expect(hasReachedEnd(10 * second) && hasReachedEnd(9 * second + 1) && hasReachedEnd(10 * second - 1))
        #expect(!hasReachedEnd(10 * second + 2) && !hasReachedEnd(9 * second) && !hasReachedEnd(.max))
        #expect(!EndPlan.hasReachedEnd(of: nil, clock, now: 50 * second))
        clock.stop(at: 50 * second)
        #expect(!hasReachedEnd(10 * second), "a stopped clock reaches no end")
    }

    @Test func playerPausesAtTheItemEndUnlessTheVideoIsLonger() {
        for forwardPlaybackEndTime in Self.candidateTimes {
            for duration in Self.candidateTimes {
                for lastFrameEndTime in Self.candidateTimes {
                    let time = EndPlan.pausedTime(
                        forwardPlaybackEndTime: forwardPlaybackEndTime, duration: duration,
                        lastFrameEndTime: lastFrameEndTime)
                    let isVideoLonger = duration.map { lastFrameEndTime ?? 0 > $0 } ?? true
                    let endTime = EndPlan.endTime(
                        forwardPlaybackEndTime: forwardPlaybackEndTime, duration: duration)
                    #expect(time == (isVideoLonger ? nil : endTime))
                }
            }
        }
    }
}
