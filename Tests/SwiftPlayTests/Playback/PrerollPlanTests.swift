import Testing

@testable import SwiftPlay

@Suite struct PrerollPlanTests {
    /// Audio at normal speed that the audio pipeline has accepted.
    private static let audio = AudioProgress.AcceptedAudio(number: 1, speed: 1)
    private static let audioStates: [AudioProgress] = [
        .disconnected, .discarded(hasEnded: false), .expected(deadline: 1), .buffering(audio, deadline: 1),
        .ready(audio),
        .playing(audio, .known), .ended(audio),
    ]

    /// One plan for every combination of the inputs of ``PrerollPlan``.
    private static let plans: [PrerollPlan] = {
        let phases: [PlaybackPhase?] = [nil, .opening, .priming, .ready, .playing, .failed]
        var newPlans: [PrerollPlan] = []
        for phase in phases {
            for audio in audioStates {
                for bits in 0..<4 {
                    newPlans.append(
                        PrerollPlan(
                            phase: phase, hasReportedEnd: bits & 1 != 0, isSeekable: bits & 2 != 0, audio: audio))
                }
            }
        }
        return newPlans
    }()

    @Test func prerollNeedsAPausedPlayerWithAnItem() {
        for plan in Self.plans {
            let isPossible = plan.phase != nil && plan.phase != .failed && !plan.hasReportedEnd
            for prerollRate in [Float(1), 2] {
                #expect(plan.startAction(atRate: prerollRate, rate: 1) == .refuse)
                let hasOldAudio =
                    switch plan.audio {
                    case .buffering, .ready, .playing: prerollRate == 2
                    case .disconnected, .discarded, .expected, .ended: false
                    }
                let mustRebuffer = hasOldAudio && plan.phase == .ready && plan.isSeekable
                let expected: PrerollPlan.StartAction = !isPossible ? .refuse : mustRebuffer ? .rebufferAudio : .wait
                #expect(plan.startAction(atRate: prerollRate, rate: 0) == expected, "\(plan)")
            }
        }
    }

    @Test func prerollFinishesWhenVideoAndAudioAreBuffered() {
        for plan in Self.plans {
            let lacksAudio =
                switch plan.audio {
                case .expected, .buffering: true
                case .disconnected, .discarded, .ready, .playing, .ended: false
                }
            #expect(!plan.isFinished(isVideoReady: false))
            #expect(plan.isFinished(isVideoReady: true) == (plan.phase == .ready && !lacksAudio), "\(plan)")
        }
    }

    @Test func playbackWaitsForAudioThatIsStretchedForItsRate() {
        for audio in Self.audioStates {
            for rate in [Float(1), 2] {
                for isSeekable in [true, false] {
                    for now in [Int64(0), 1, 2] {
                        let expected: AudioProgress.StartAction =
                            switch audio {
                            case .expected, .buffering: now < 1 ? .wait(until: 1) : .startWithoutAudio
                            case .ready, .playing: rate == 2 && isSeekable ? .seekToCurrentTime : .startNow
                            case .disconnected, .discarded, .ended: .startNow
                            }
                        #expect(
                            audio.startAction(atRate: rate, isSeekable: isSeekable, now: now) == expected, "\(audio)")
                    }
                }
            }
        }
    }
}
