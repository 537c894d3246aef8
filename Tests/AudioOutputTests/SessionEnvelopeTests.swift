import AudioPolicy
import Foundation
import SystemCalls
import Testing

@testable import AudioOutput

/// Tests the volume ramps and fades with which the compositor lowers or silences an audio session because of other
/// programs. The tests check the course of each ramp and fade, and that none causes a click.
@Suite struct SessionEnvelopeTests {
    private static let sampleRate = 48_000
    /// The host time at which the tests begin, in nanoseconds.
    private static let startTime: Int64 = 1_000_000_000_000
    private let format = AudioFormat(rate: SessionEnvelopeTests.sampleRate, channels: 2)

    /// Returns the gain factors of `frames` frames that are rendered in blocks of 10 ms from host time `time` on.
    private func gainFactors(
        _ envelope: inout SessionEnvelope, _ frames: Int, from time: Int64 = SessionEnvelopeTests.startTime
    ) -> [Float] {
        var factors: [Float] = []
        while factors.count < frames {
            let count = min(480, frames - factors.count)
            let now = time + format.nanoseconds(of: factors.count)
            var block = [Float](repeating: 1, count: count * 2)
            block.withUnsafeMutableBufferPointer {
                if let base = $0.baseAddress {
                    envelope.apply(to: base, frames: count, channels: 2, now: now, heardAt: now)
                }
            }
            #expect(
                stride(from: 0, to: block.count, by: 2).allSatisfy { block[$0] == block[$0 + 1] }, "channels differ")
            factors += stride(from: 0, to: block.count, by: 2).map { block[$0] }
        }
        return factors
    }

    /// Returns a gain factor in decibels.
    private static func decibels(_ factor: Float) -> Double { 20 * log10(Double(factor)) }

    /// Returns a shared memory page in which the compositor requests fades and volume reductions, and the envelope that
    /// applies them.
    private func makePageAndEnvelope() throws -> (SharedGainPage, SessionEnvelope) {
        let page = try SharedGainPage()
        return (page, SessionEnvelope(page, format: format, now: Self.startTime))
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
        var (page, envelope) = try makePageAndEnvelope()
        page.set(Self.duckCommand(14, 250))
        let duckingFactors = gainFactors(&envelope, Self.sampleRate / 2)
        for (frame, factor) in duckingFactors.prefix(Self.sampleRate / 4).enumerated() {
            #expect(abs(Self.decibels(factor) + 14 * Double(frame + 1) / Double(Self.sampleRate / 4)) < 0.05)
        }
        #expect(duckingFactors.dropFirst(Self.sampleRate / 4).allSatisfy { abs(Self.decibels($0) + 14) < 0.01 })
        page.set(Self.duckCommand(0, 500))
        let recoveryFactors = gainFactors(&envelope, Self.sampleRate)
        #expect(recoveryFactors.last == 1 && abs(Self.decibels(recoveryFactors[Self.sampleRate / 4]) + 7) < 0.05)
    }

    @Test("a duck that is reversed halfway continues from its level")
    func reversedDuckContinuesFromItsLevel() throws {
        var (page, envelope) = try makePageAndEnvelope()
        page.set(Self.duckCommand(14, 250))
        let duckingFactors = gainFactors(&envelope, Self.sampleRate / 8)
        page.set(Self.duckCommand(0, 500, at: Self.startTime + 125_000_000))
        let recoveryFactors = gainFactors(&envelope, 480, from: Self.startTime + 125_000_000)
        // The level may change by at most 0.3 dB in a millisecond, which is 48 frames.
        let lastDuckingFactor = duckingFactors[duckingFactors.count - 1]
        #expect(abs(Self.decibels(recoveryFactors[0]) - Self.decibels(lastDuckingFactor)) < 0.3 / 48)
    }

    @Test("the gate closes in 30 ms without a step, passes no sound while closed, and opens again")
    func gateOpensAndClosesWithoutAStep() throws {
        var (page, envelope) = try makePageAndEnvelope()
        page.set(Self.gateCommand(false))
        let closingFactors = gainFactors(&envelope, Self.sampleRate / 10)
        #expect(closingFactors.dropFirst(1440).allSatisfy { $0 == 0 })
        #expect(closingFactors[719] > 0.49 && closingFactors[719] < 0.51)
        page.set(Self.gateCommand(true, at: Self.startTime + 100_000_000))
        let openingFactors = gainFactors(&envelope, Self.sampleRate / 10, from: Self.startTime + 100_000_000)
        #expect(openingFactors.dropFirst(1440).allSatisfy { $0 == 1 })
        for factors in [closingFactors, openingFactors] {
            // The gain may change by at most 1/240 from one sample to the next.
            #expect(zip(factors, factors.dropFirst()).allSatisfy { abs($1 - $0) <= 1 / 240 })
        }
    }

    @Test("a gate that opens at a later time passes no sound before")
    func gateOpensAtTheTimeOfTheCommand() throws {
        var (page, envelope) = try makePageAndEnvelope()
        page.set(Self.gateCommand(false))
        _ = gainFactors(&envelope, Self.sampleRate / 10)
        page.set(Self.gateCommand(true, at: Self.startTime + 150_000_000))
        let openingFactors = gainFactors(&envelope, Self.sampleRate / 5, from: Self.startTime + 100_000_000)
        #expect(openingFactors.prefix(Self.sampleRate / 20).allSatisfy { $0 == 0 })
        #expect(openingFactors.dropFirst(Self.sampleRate / 20 + 1440).allSatisfy { $0 == 1 })
    }

    @Test("audio that starts during a duck or a closed gate is ducked or silent from its first sample")
    func audioOfADuckedOrSilentSessionStartsDuckedOrSilent() throws {
        let page = try SharedGainPage()
        page.set(Self.duckCommand(14, 250))
        var duckedEnvelope = SessionEnvelope(page, format: format, now: Self.startTime)
        #expect(gainFactors(&duckedEnvelope, 480).allSatisfy { abs(Self.decibels($0) + 14) < 0.01 })
        page.set(Self.gateCommand(false))
        var silentEnvelope = SessionEnvelope(page, format: format, now: Self.startTime)
        #expect(gainFactors(&silentEnvelope, 480).allSatisfy { $0 == 0 })
    }

    @Test("audio that starts when the gate opens fades in; audio that starts later does not")
    func audioFadesInWhenTheGateOpens() throws {
        let page = try SharedGainPage()
        page.set(Self.gateCommand(true))
        var firstEnvelope = SessionEnvelope(page, format: format, now: Self.startTime)
        let fadeInFactors = gainFactors(&firstEnvelope, 1440)
        #expect(fadeInFactors[0] < 0.01 && fadeInFactors[1439] == 1)
        #expect(fadeInFactors[719] > 0.49 && fadeInFactors[719] < 0.51)
        var secondEnvelope = SessionEnvelope(page, format: format, now: Self.startTime + 5_000_000_000)
        #expect(gainFactors(&secondEnvelope, 480).allSatisfy { $0 == 1 })
    }

    @Test("playback after a pause starts at the target of a ramp that was requested during the pause")
    func playbackAfterAPauseStartsAtTheTargetGain() throws {
        var (page, envelope) = try makePageAndEnvelope()
        page.set(Self.duckCommand(14, 250))
        _ = gainFactors(&envelope, Self.sampleRate / 2)
        page.set(Self.duckCommand(0, 500, at: Self.startTime + 10_000_000_000))
        envelope.restart(now: Self.startTime + 10_100_000_000)
        #expect(gainFactors(&envelope, 480, from: Self.startTime + 10_100_000_000).allSatisfy { $0 == 1 })
    }

    @Test("a program that was stopped while the gate closed is silent at once, without a fade")
    func programStoppedWhileTheGateClosedIsSilentAtOnce() throws {
        var (page, envelope) = try makePageAndEnvelope()
        _ = gainFactors(&envelope, 480)
        page.set(Self.gateCommand(false))
        #expect(!envelope.mustDiscard(now: Self.startTime + 20_000_000))
        #expect(envelope.mustDiscard(now: Self.startTime + 1_000_000_000))
        #expect(gainFactors(&envelope, 4800, from: Self.startTime + 1_000_000_000).allSatisfy { $0 == 0 })
        #expect(!page.gate.isOpen && page.hasAcknowledged(page.gate, page.duck))
    }

    @Test("commands and acknowledgements are visible to every process that maps the page")
    func gainPageSharesRequestsAndAcknowledgements() throws {
        var (page, envelope) = try makePageAndEnvelope()
        let receivedPage = try SharedGainPage(received: FileDescriptor(duplicating: page.descriptor))
        receivedPage.set(Self.duckCommand(20, 250))
        #expect(page.duck == Self.duckCommand(20, 250))
        #expect(!receivedPage.hasAcknowledged(receivedPage.gate, receivedPage.duck))
        _ = gainFactors(&envelope, 480)
        #expect(receivedPage.hasAcknowledged(receivedPage.gate, receivedPage.duck))
    }
}
