import CFFmpeg
import Testing

@testable import MediaPipeline

/// Tests at which time a seek lands: the first packets after the seek decide whether it lands on a keyframe or on the
/// sought frame.
@Suite struct SeekResolutionTests {
    /// Returns a seek request to `time`, in nanoseconds.
    private func request(_ precision: SeekRequest.Precision, time: Int64 = 100) -> SeekRequest {
        SeekRequest(time: time, precision: precision, generation: 7)
    }

    /// Returns the state of a seek to 100 ns that may land at any time in `window`.
    private func toleranceSeek(_ window: ClosedRange<Int64>) throws -> SeekResolution {
        try #require(SeekResolution(request(.near(window))))
    }

    @Test func anExactSeekNeedsNoResolution() { #expect(SeekResolution(request(.exact)) == nil) }

    @Test func aKeyframeSeekLandsOnTheFirstPicture() throws {
        var resolution = try #require(SeekResolution(request(.keyframe)))
        #expect(resolution.handle(.audio) == .hold && resolution.handle(.audio) == .hold)
        #expect(resolution.handle(.video(time: 60, isKeyframe: true)) == .resolved(request(.keyframe, time: 60)))
        var unknown = try #require(SeekResolution(request(.keyframe)))
        #expect(unknown.handle(.video(time: nil, isKeyframe: true)) == .resolved(request(.keyframe)))
    }

    @Test func aSeekLandsOnAKeyframeInsideTheWindow() throws {
        var resolution = try toleranceSeek(50...150)
        #expect(resolution.handle(.audio) == .hold)
        #expect(resolution.handle(.video(time: 50, isKeyframe: true)) == .resolved(request(.exact, time: 50)))
    }

    @Test(arguments: [(nil, true), (120, false), (160, true), (60, false)] as [(Int64?, Bool)])
    func anUnsuitableFirstPictureMakesTheSeekExact(time: Int64?, isKeyframe: Bool) throws {
        var resolution = try toleranceSeek(50...150)
        #expect(resolution.handle(.video(time: time, isKeyframe: isKeyframe)) == .resolved(request(.exact)))
    }

    @Test func aPictureBeforeTheWindowStartsOneSearchForALaterKeyframe() throws {
        var resolution = try toleranceSeek(50...150)
        #expect(resolution.handle(.video(time: 40, isKeyframe: true)) == .advance(after: 40, upTo: 150))
        #expect(resolution.handleMoveResult(.moved) == .skip && resolution.handle(.audio) == .hold)
        var inside = resolution
        #expect(inside.handle(.video(time: 130, isKeyframe: true)) == .resolved(request(.exact, time: 130)))
        for (time, isKeyframe) in [(151, true), (130, false), (40, true), (nil, true)] as [(Int64?, Bool)] {
            var outside = resolution
            #expect(
                outside.handle(.video(time: time, isKeyframe: isKeyframe)) == .seekExactly(request(.exact)),
                "\(time ?? -1)")
        }
    }

    @Test func withoutALaterKeyframeTheSeekLandsOnTheSoughtFrame() throws {
        for (outcome, step) in [
            (.notFound, .resolved(request(.exact))), (.positionLost, .seekExactly(request(.exact))),
        ]
            as [(KeyframeMoveResult, SeekResolution.CallerAction)]
        {
            var resolution = try toleranceSeek(50...150)
            _ = resolution.handle(.video(time: 40, isKeyframe: true))
            #expect(resolution.handleMoveResult(outcome) == step)
        }
    }

    @Test func aWindowThatEndsAtTheTargetStartsNoSearch() throws {
        var resolution = try toleranceSeek(50...100)
        #expect(resolution.handle(.video(time: 40, isKeyframe: true)) == .resolved(request(.exact)))
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
