import AudioPolicy
import Foundation
import SystemCalls
import Testing

@testable import AudioOutput

/// Tests the volume ramps and fades with which the compositor lowers or silences an audio session because of other
/// programs: their course, and that they cause no clicks.
@Suite struct SessionEnvelopeTests {
    private static let sampleRate = 48_000
    /// The host time at which the tests begin, in nanoseconds.
    private static let startTime: Int64 = 1_000_000_000_000
    private let format = AudioFormat(rate: SessionEnvelopeTests.sampleRate, channels: 2)

    /// Returns the gain factors of `frames` frames that are rendered in blocks of 10 ms from host time `time` on.
    private func gainFactors(
        _ envelope: inout SessionEnvelope, _ frames: Int, from time: Int64 = SessionEnvelopeTests.startTime
    ) -> [Float] {
        var all: [Float] = []
        while all.count < frames {
            let count = min(480, frames - all.count)
            let now = time + format.nanoseconds(of: all.count)
            var block = [Float](repeating: 1, count: count * 2)
            block.withUnsafeMutableBufferPointer {
                if let base = $0.baseAddress {
                    envelope.apply(to: base, frames: count, channels: 2, now: now, heardAt: now)
                }
            }
            #expect(
                stride(from: 0, to: block.count, by: 2).allSatisfy { block[$0] == block[$0 + 1] }, "channels differ")
            all += stride(from: 0, to: block.count, by: 2).map { block[$0] }
        }
        return all
    }

    /// Returns a gain factor in decibels.
    private static func decibels(_ factor: Float) -> Double { 20 * log10(Double(factor)) }

    /// Returns a shared memory page in which the compositor requests fades and volume reductions, and the envelope that
    /// applies them.
    private func makePageAndEnvelope() throws -> (SharedGainPage, SessionEnvelope) {
        let gain = try SharedGainPage()
        return (gain, SessionEnvelope(gain, format: format, now: Self.startTime))
    }

    /// Returns the compositor's request to change the volume to -`decibels` dB within `milliseconds` ms from host time
    /// `time` on.
    private static func duckCommand(_ decibels: Int, _ milliseconds: Int, at time: Int64 = startTime) -> DuckCommand {
        DuckCommand(decibels: decibels, milliseconds: milliseconds, time: time)
    }

    /// Returns the compositor's request to make the session audible (`isOpen`) or silent within 30 ms from host time
    /// `time` on.
    private static func gateCommand(_ isOpen: Bool, at time: Int64 = startTime) -> GateCommand {
        GateCommand(isOpen: isOpen, milliseconds: 30, time: time)
    }

    @Test func samplesAreUnchangedWithoutGainRequests() throws {
        var (_, envelope) = try makePageAndEnvelope()
        #expect(gainFactors(&envelope, 1000).allSatisfy { $0 == 1 })
    }

    @Test("a duck lowers the level by 14 dB, linearly in decibels, and raises it again")
    func duckIsLinearInDecibels() throws {
        var (gain, envelope) = try makePageAndEnvelope()
        gain.set(Self.duckCommand(14, 250))
        let down = gainFactors(&envelope, Self.sampleRate / 2)
        for (frame, factor) in down.prefix(Self.sampleRate / 4).enumerated() {
            #expect(abs(Self.decibels(factor) + 14 * Double(frame + 1) / Double(Self.sampleRate / 4)) < 0.05)
        }
        #expect(down.dropFirst(Self.sampleRate / 4).allSatisfy { abs(Self.decibels($0) + 14) < 0.01 })
        gain.set(Self.duckCommand(0, 500))
        let up = gainFactors(&envelope, Self.sampleRate)
        #expect(up.last == 1 && abs(Self.decibels(up[Self.sampleRate / 4]) + 7) < 0.05)
    }

    @Test("a duck that is reversed halfway continues from its level")
    func reversedDuckContinuesFromItsLevel() throws {
        var (gain, envelope) = try makePageAndEnvelope()
        gain.set(Self.duckCommand(14, 250))
        let down = gainFactors(&envelope, Self.sampleRate / 8)
        gain.set(Self.duckCommand(0, 500, at: Self.startTime + 125_000_000))
        let up = gainFactors(&envelope, 480, from: Self.startTime + 125_000_000)
        // The level may change by at most 0.3 dB in a millisecond, which is 48 frames.
        #expect(abs(Self.decibels(up[0]) - Self.decibels(down[down.count - 1])) < 0.3 / 48)
    }

    @Test("the gate closes in 30 ms without a step, passes no sound while closed, and opens again")
    func gateOpensAndClosesWithoutAStep() throws {
        var (gain, envelope) = try makePageAndEnvelope()
        gain.set(Self.gateCommand(false))
        let closing = gainFactors(&envelope, Self.sampleRate / 10)
        #expect(closing.dropFirst(1440).allSatisfy { $0 == 0 } && closing[719] > 0.49 && closing[719] < 0.51)
        gain.set(Self.gateCommand(true, at: Self.startTime + 100_000_000))
        let opening = gainFactors(&envelope, Self.sampleRate / 10, from: Self.startTime + 100_000_000)
        #expect(opening.dropFirst(1440).allSatisfy { $0 == 1 })
        for all in [closing, opening] {
            // The gain may change by at most 1/240 from one sample to the next.
            #expect(zip(all, all.dropFirst()).allSatisfy { abs($1 - $0) <= 1 / 240 })
        }
    }

    @Test("a gate that opens at a later time passes no sound before")
    func gateOpensAtTheTimeOfTheCommand() throws {
        var (gain, envelope) = try makePageAndEnvelope()
        gain.set(Self.gateCommand(false))
        _ = gainFactors(&envelope, Self.sampleRate / 10)
        gain.set(Self.gateCommand(true, at: Self.startTime + 150_000_000))
        let opening = gainFactors(&envelope, Self.sampleRate / 5, from: Self.startTime + 100_000_000)
        #expect(opening.prefix(Self.sampleRate / 20).allSatisfy { $0 == 0 })
        #expect(opening.dropFirst(Self.sampleRate / 20 + 1440).allSatisfy { $0 == 1 })
    }

    @Test("audio that starts during a duck or a closed gate is ducked or silent from its first sample")
    func audioOfADuckedOrSilentSessionStartsDuckedOrSilent() throws {
        let gain = try SharedGainPage()
        gain.set(Self.duckCommand(14, 250))
        var lowered = SessionEnvelope(gain, format: format, now: Self.startTime)
        #expect(gainFactors(&lowered, 480).allSatisfy { abs(Self.decibels($0) + 14) < 0.01 })
        gain.set(Self.gateCommand(false))
        var silent = SessionEnvelope(gain, format: format, now: Self.startTime)
        #expect(gainFactors(&silent, 480).allSatisfy { $0 == 0 })
    }

    @Test("audio that starts when the gate opens fades in; audio that starts later does not")
    func audioFadesInWhenTheGateOpens() throws {
        let gain = try SharedGainPage()
        gain.set(Self.gateCommand(true))
        var first = SessionEnvelope(gain, format: format, now: Self.startTime)
        let early = gainFactors(&first, 1440)
        #expect(early[0] < 0.01 && early[719] > 0.49 && early[719] < 0.51 && early[1439] == 1)
        var second = SessionEnvelope(gain, format: format, now: Self.startTime + 5_000_000_000)
        #expect(gainFactors(&second, 480).allSatisfy { $0 == 1 })
    }

    @Test("playback after a pause starts at the target of a ramp that was requested during the pause")
    func playbackAfterAPauseStartsAtTheTargetGain() throws {
        var (gain, envelope) = try makePageAndEnvelope()
        gain.set(Self.duckCommand(14, 250))
        _ = gainFactors(&envelope, Self.sampleRate / 2)
        gain.set(Self.duckCommand(0, 500, at: Self.startTime + 10_000_000_000))
        envelope.begin(now: Self.startTime + 10_100_000_000)
        #expect(gainFactors(&envelope, 480, from: Self.startTime + 10_100_000_000).allSatisfy { $0 == 1 })
    }

    @Test("a program that was stopped while the gate closed is silent at once, without a fade")
    func stoppedProgramIsSilentAtOnce() throws {
        var (gain, envelope) = try makePageAndEnvelope()
        _ = gainFactors(&envelope, 480)
        gain.set(Self.gateCommand(false))
        #expect(!envelope.mustDiscard(now: Self.startTime + 20_000_000))
        #expect(envelope.mustDiscard(now: Self.startTime + 1_000_000_000))
        #expect(gainFactors(&envelope, 4800, from: Self.startTime + 1_000_000_000).allSatisfy { $0 == 0 })
        #expect(!gain.gate.isOpen && gain.hasAcknowledged(gain.gate, gain.duck))
    }

    @Test("commands and acknowledgements are visible to every process that maps the page")
    func gainPageSharesRequestsAndAcknowledgements() throws {
        var (gain, envelope) = try makePageAndEnvelope()
        let other = try SharedGainPage(received: FileDescriptor(duplicating: gain.descriptor))
        other.set(Self.duckCommand(20, 250))
        #expect(gain.duck == Self.duckCommand(20, 250) && !other.hasAcknowledged(other.gate, other.duck))
        _ = gainFactors(&envelope, 480)
        #expect(other.hasAcknowledged(other.gate, other.duck))
    }
}
