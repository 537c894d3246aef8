import CFFmpeg
import Testing

@testable import MediaPipeline

/// Tests of the frame at which a seek ends. The first packets after the seek decide whether the seek ends at a keyframe
/// or at the sought frame.
@Suite struct SeekResolutionTests {
    /// Returns a seek request to `time`, in nanoseconds.
    private func request(_ precision: SeekRequest.Precision, time: Int64 = 100) -> SeekRequest {
        SeekRequest(time: time, precision: precision, generation: 7)
    }

    /// Returns the ``SeekResolution`` of a seek to 100 ns that may end at any keyframe in `window`.
    private func toleranceSeek(_ window: ClosedRange<Int64>) throws -> SeekResolution {
        try #require(SeekResolution(request(.near(window))))
    }

    @Test func anExactSeekNeedsNoResolution() { #expect(SeekResolution(request(.exact)) == nil) }

    @Test func aKeyframeSeekLandsOnTheFirstPicture() throws {
        var resolution = try #require(SeekResolution(request(.keyframe)))
        #expect(resolution.handle(.audio) == .hold && resolution.handle(.audio) == .hold)
        #expect(resolution.handle(.video(time: 60, isKeyframe: true)) == .resolved(request(.keyframe, time: 60)))
        var resolutionWithoutTime = try #require(SeekResolution(request(.keyframe)))
        #expect(resolutionWithoutTime.handle(.video(time: nil, isKeyframe: true)) == .resolved(request(.keyframe)))
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

    @Test func pictureBeforeTheWindowStartsAKeyframeSearch() throws {
        var resolution = try toleranceSeek(50...150)
        #expect(resolution.handle(.video(time: 40, isKeyframe: true)) == .advance(after: 40, upTo: 150))
        #expect(resolution.handleMoveResult(.moved) == .skip && resolution.handle(.audio) == .hold)
        var resolutionInsideWindow = resolution
        #expect(
            resolutionInsideWindow.handle(.video(time: 130, isKeyframe: true)) == .resolved(request(.exact, time: 130)))
        for (time, isKeyframe) in [(151, true), (130, false), (40, true), (nil, true)] as [(Int64?, Bool)] {
            var resolutionOutsideWindow = resolution
            #expect(
                resolutionOutsideWindow.handle(.video(time: time, isKeyframe: isKeyframe))
                    == .seekExactly(request(.exact)),
                "\(time ?? -1)")
        }
    }

    @Test func seekWithoutALaterKeyframeLandsOnTheSoughtFrame() throws {
        for (moveResult, expectedAction) in [
            (.notFound, .resolved(request(.exact))), (.positionLost, .seekExactly(request(.exact))),
        ]
            as [(KeyframeMoveResult, SeekResolution.CallerAction)]
        {
            var resolution = try toleranceSeek(50...150)
            _ = resolution.handle(.video(time: 40, isKeyframe: true))
            #expect(resolution.handleMoveResult(moveResult) == expectedAction)
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
        var heldPackets = HeldPackets()
        let packets = try (0..<3).map { _ in try packet(100) }
        for packet in packets { heldPackets.hold(packet) }
        #expect(heldPackets.take().elementsEqual(packets, by: ===) && heldPackets.take().isEmpty)
        for _ in 0..<10 { heldPackets.hold(try packet(1 << 20)) }
        #expect(heldPackets.packets.reduce(0) { $0 + $1.byteCount } <= HeldPackets.byteLimit)
        #expect(heldPackets.packets.count == 7)
    }
}
