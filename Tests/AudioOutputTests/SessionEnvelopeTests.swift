import AudioPolicy
import Foundation
import SystemCalls
import Testing

@testable import AudioOutput

/// What a listener hears of the rules between programs: ramps, fades, and no click.
@Suite struct SessionEnvelopeTests {
    private static let rate = 48_000
    private static let start: Int64 = 1_000_000_000_000
    private let format = AudioFormat(rate: SessionEnvelopeTests.rate, channels: 2)

    /// The factors of so many frames from a moment on, in blocks of a period.
    private func factors(
        _ envelope: inout SessionEnvelope, _ frames: Int, from time: Int64 = SessionEnvelopeTests.start
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
                stride(from: 0, to: block.count, by: 2).allSatisfy { block[$0] == block[$0 + 1] }, "all channels alike")
            all += stride(from: 0, to: block.count, by: 2).map { block[$0] }
        }
        return all
    }

    private static func decibels(_ factor: Float) -> Double { 20 * log10(Double(factor)) }

    private func made() throws -> (SessionGain, SessionEnvelope) {
        let gain = try SessionGain()
        return (gain, SessionEnvelope(gain, format: format, now: Self.start))
    }

    private static func duck(_ decibels: Int, _ milliseconds: Int, at time: Int64 = start) -> DuckOrder {
        DuckOrder(decibels: decibels, milliseconds: milliseconds, time: time)
    }

    private static func gate(_ isOpen: Bool, at time: Int64 = start) -> GateOrder {
        GateOrder(isOpen: isOpen, milliseconds: 30, time: time)
    }

    @Test func nothingIsDoneWhereNothingIsAsked() throws {
        var (_, envelope) = try made()
        #expect(factors(&envelope, 1000).allSatisfy { $0 == 1 })
    }

    @Test("a duck goes down 14 dB in a straight line of decibels, and up again")
    func duck() throws {
        var (gain, envelope) = try made()
        gain.set(Self.duck(14, 250))
        let down = factors(&envelope, Self.rate / 2)
        for (frame, factor) in down.prefix(Self.rate / 4).enumerated() {
            #expect(abs(Self.decibels(factor) + 14 * Double(frame + 1) / Double(Self.rate / 4)) < 0.05)
        }
        #expect(down.dropFirst(Self.rate / 4).allSatisfy { abs(Self.decibels($0) + 14) < 0.01 })
        gain.set(Self.duck(0, 500))
        let up = factors(&envelope, Self.rate)
        #expect(up.last == 1 && abs(Self.decibels(up[Self.rate / 4]) + 7) < 0.05)
    }

    @Test("a duck that turns round halfway goes on from where it is")
    func turn() throws {
        var (gain, envelope) = try made()
        gain.set(Self.duck(14, 250))
        let down = factors(&envelope, Self.rate / 8)
        gain.set(Self.duck(0, 500, at: Self.start + 125_000_000))
        let up = factors(&envelope, 480, from: Self.start + 125_000_000)
        // 0.3 dB a millisecond at most (S29).
        #expect(abs(Self.decibels(up[0]) - Self.decibels(down[down.count - 1])) < 0.3 / 48)
    }

    @Test("the gate closes in 30 ms without a step, opens again, and lets nothing through while it is closed")
    func gate() throws {
        var (gain, envelope) = try made()
        gain.set(Self.gate(false))
        let closing = factors(&envelope, Self.rate / 10)
        #expect(closing.dropFirst(1440).allSatisfy { $0 == 0 } && closing[719] > 0.49 && closing[719] < 0.51)
        gain.set(Self.gate(true, at: Self.start + 100_000_000))
        let opening = factors(&envelope, Self.rate / 10, from: Self.start + 100_000_000)
        #expect(opening.dropFirst(1440).allSatisfy { $0 == 1 })
        for all in [closing, opening] {
            // The policy's rule: no gain step between samples above 1/240.
            #expect(zip(all, all.dropFirst()).allSatisfy { abs($1 - $0) <= 1 / 240 })
        }
    }

    @Test("a gate that is to open later lets nothing be heard before")
    func later() throws {
        var (gain, envelope) = try made()
        gain.set(Self.gate(false))
        _ = factors(&envelope, Self.rate / 10)
        gain.set(Self.gate(true, at: Self.start + 150_000_000))
        let opening = factors(&envelope, Self.rate / 5, from: Self.start + 100_000_000)
        #expect(opening.prefix(Self.rate / 20).allSatisfy { $0 == 0 })
        #expect(opening.dropFirst(Self.rate / 20 + 1440).allSatisfy { $0 == 1 })
    }

    @Test("a sound that begins while others have the floor is born lowered, or silent, from its first sample")
    func born() throws {
        let gain = try SessionGain()
        gain.set(Self.duck(14, 250))
        var lowered = SessionEnvelope(gain, format: format, now: Self.start)
        #expect(factors(&lowered, 480).allSatisfy { abs(Self.decibels($0) + 14) < 0.01 })
        gain.set(Self.gate(false))
        var silent = SessionEnvelope(gain, format: format, now: Self.start)
        #expect(factors(&silent, 480).allSatisfy { $0 == 0 })
    }

    @Test("a sound that begins with its claim fades in with it; one that begins later does not")
    func fadesIn() throws {
        let gain = try SessionGain()
        gain.set(Self.gate(true))
        var first = SessionEnvelope(gain, format: format, now: Self.start)
        let early = factors(&first, 1440)
        #expect(early[0] < 0.01 && early[719] > 0.49 && early[719] < 0.51 && early[1439] == 1)
        var second = SessionEnvelope(gain, format: format, now: Self.start + 5_000_000_000)
        #expect(factors(&second, 480).allSatisfy { $0 == 1 })
    }

    @Test("after a pause nothing is left of what was asked meanwhile")
    func begins() throws {
        var (gain, envelope) = try made()
        gain.set(Self.duck(14, 250))
        _ = factors(&envelope, Self.rate / 2)
        gain.set(Self.duck(0, 500, at: Self.start + 10_000_000_000))
        envelope.begin(now: Self.start + 10_100_000_000)
        #expect(factors(&envelope, 480, from: Self.start + 10_100_000_000).allSatisfy { $0 == 1 })
    }

    @Test(
        "who was frozen when the gate closed makes no sound any more, not even the fade's, nor what was rendered before"
    )
    func frozen() throws {
        var (gain, envelope) = try made()
        _ = factors(&envelope, 480)
        gain.set(Self.gate(false))
        #expect(!envelope.forbids(now: Self.start + 20_000_000))
        #expect(envelope.forbids(now: Self.start + 1_000_000_000))
        #expect(factors(&envelope, 4800, from: Self.start + 1_000_000_000).allSatisfy { $0 == 0 })
        #expect(!gain.gate.isOpen && gain.hasAcknowledged(gain.gate, gain.duck))
    }

    @Test("what is obeyed is told through the page, to whoever maps it")
    func page() throws {
        var (gain, envelope) = try made()
        let other = try SessionGain(received: FileDescriptor(duplicating: gain.descriptor))
        other.set(Self.duck(20, 250))
        #expect(gain.duck == Self.duck(20, 250) && !other.hasAcknowledged(other.gate, other.duck))
        _ = factors(&envelope, 480)
        #expect(other.hasAcknowledged(other.gate, other.duck))
    }
}
