import CFFmpeg
import Testing

@testable import MediaPipeline

/// Tests of every state of a landing with every kind of packet.
@Suite struct SeekLandingTests {
    private func request(_ precision: SeekRequest.Precision, time: Int64 = 100) -> SeekRequest {
        SeekRequest(time: time, precision: precision, generation: 7)
    }

    private func landing(_ window: ClosedRange<Int64>) throws -> SeekLanding {
        try #require(SeekLanding(request(.near(window))))
    }

    @Test func anExactSeekNeedsNoLanding() { #expect(SeekLanding(request(.exact)) == nil) }

    @Test func aKeyframeSeekLandsOnTheFirstPicture() throws {
        var landing = try #require(SeekLanding(request(.keyframe)))
        #expect(landing.arrive(.audio) == .hold && landing.arrive(.audio) == .hold)
        #expect(landing.arrive(.video(time: 60, isKeyframe: true)) == .land(request(.keyframe, time: 60)))
        var unknown = try #require(SeekLanding(request(.keyframe)))
        #expect(unknown.arrive(.video(time: nil, isKeyframe: true)) == .land(request(.keyframe)))
    }

    @Test func aKeyframeInsideTheWindowIsLandedOn() throws {
        var landing = try landing(50...150)
        #expect(landing.arrive(.audio) == .hold)
        #expect(landing.arrive(.video(time: 50, isKeyframe: true)) == .land(request(.exact, time: 50)))
    }

    @Test(arguments: [(nil, true), (120, false), (160, true), (60, false)] as [(Int64?, Bool)])
    func otherPicturesMakeTheSeekExact(time: Int64?, isKeyframe: Bool) throws {
        var landing = try landing(50...150)
        #expect(landing.arrive(.video(time: time, isKeyframe: isKeyframe)) == .land(request(.exact)))
    }

    @Test func aPictureBeforeTheWindowStartsOneSearchForALaterKeyframe() throws {
        var landing = try landing(50...150)
        #expect(landing.arrive(.video(time: 40, isKeyframe: true)) == .advance(after: 40, upTo: 150))
        #expect(landing.advanced(.moved) == .skip && landing.arrive(.audio) == .hold)
        var inside = landing
        #expect(inside.arrive(.video(time: 130, isKeyframe: true)) == .land(request(.exact, time: 130)))
        for (time, isKeyframe) in [(151, true), (130, false), (40, true), (nil, true)] as [(Int64?, Bool)] {
            var outside = landing
            #expect(
                outside.arrive(.video(time: time, isKeyframe: isKeyframe)) == .goBack(request(.exact)), "\(time ?? -1)")
        }
    }

    @Test func withoutALaterKeyframeTheSeekLandsOnTheSoughtFrame() throws {
        for (outcome, step) in [(.none, .land(request(.exact))), (.lost, .goBack(request(.exact)))]
            as [(KeyframeOutcome, SeekLanding.Step)]
        {
            var landing = try landing(50...150)
            _ = landing.arrive(.video(time: 40, isKeyframe: true))
            #expect(landing.advanced(outcome) == step)
        }
    }

    @Test func aWindowThatEndsAtTheTargetStartsNoSearch() throws {
        var landing = try landing(50...100)
        #expect(landing.arrive(.video(time: 40, isKeyframe: true)) == .land(request(.exact)))
    }

    @Test func heldPacketsAreReturnedInOrderAndBounded() throws {
        func packet(_ bytes: Int32) throws -> Packet {
            let packet = try #require(Packet())
            try #require(av_new_packet(packet.pointer, bytes) == 0)
            return packet
        }
        var held = HeldPackets()
        let all = try (0..<3).map { _ in try packet(100) }
        for packet in all { held.hold(packet) }
        #expect(held.take().elementsEqual(all, by: ===) && held.take().isEmpty)
        for _ in 0..<10 { held.hold(try packet(1 << 20)) }
        #expect(held.packets.reduce(0) { $0 + $1.byteCount } <= HeldPackets.byteLimit && held.packets.count == 7)
    }
}
