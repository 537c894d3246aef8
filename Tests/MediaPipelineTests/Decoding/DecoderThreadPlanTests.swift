import SharedFrames
import Testing

@testable import MediaPipeline

@Suite struct DecoderThreadPlanTests {
    private let size = PixelSize(width: 1920, height: 1080)
    private var plan = DecoderThreadPlan()
    /// The processor time that the process has used, in nanoseconds.
    private var processorTime: Int64 = 5_000_000_000

    /// Plays a number of packets at 30 frames a second.
    ///
    /// - Parameter load: The processor seconds that the process uses per second of the film.
    private mutating func play(_ packetCount: Int, load: Double) {
        for _ in 0..<packetCount {
            plan.recordPacket(frameRate: 30, processorTime: processorTime)
            processorTime += Int64(load / 30 * 1e9)
        }
    }

    /// Returns whether one thread decodes.
    private func usesOneThread(
        limit: Int? = nil, savesThreads: Bool = true, _ loopFiltering: LoopFiltering = .all
    ) -> Bool {
        var demand = DecodingDemand()
        (demand.savesThreads, demand.loopFiltering) = (savesThreads, loopFiltering)
        let usualCount = DecoderThreads.count(for: size), count = plan.threadCount(for: size, limit: limit, demand)
        #expect(usualCount > 1 && (count == 1 || count == min(usualCount, limit ?? usualCount)))
        return count == 1
    }

    @Test(arguments: [(0.1, true), (0.34, true), (0.36, false), (3, false)])
    mutating func oneThreadDecodesAfterTheLoadWasLow(load: Double, isLow: Bool) {
        play(DecoderThreadPlan.measuredPacketCount, load: load)
        #expect(!usesOneThread(), "the measurement is not complete")
        play(1, load: load)
        #expect(usesOneThread() == isLow && !usesOneThread(savesThreads: false))
    }

    @Test mutating func aStartWithMuchWorkDelaysTheChange() {
        play(DecoderThreadPlan.measuredPacketCount + 1, load: 0.5)
        #expect(!usesOneThread())
        play(DecoderThreadPlan.measuredPacketCount, load: 0.2)
        #expect(usesOneThread())
    }

    @Test mutating func allThreadsDecodeAfterASeek() {
        play(100, load: 0.1)
        #expect(usesOneThread())
        plan.recordSeek()
        #expect(!usesOneThread() && !usesOneThread(.referencesOnly) && usesOneThread(limit: 2))
        play(DecoderThreadPlan.seekingPacketCount - 1, load: 0.1)
        #expect(!usesOneThread() && !usesOneThread(.none))
        play(1, load: 0.1)
        #expect(usesOneThread())
    }

    @Test func picturesThatAreShownSmallNeedNoMeasurement() {
        #expect(usesOneThread(.referencesOnly) && usesOneThread(.none))
        #expect(!usesOneThread(savesThreads: false, .none))
    }

    @Test mutating func oneThreadThatIsTooSlowIsReplaced() {
        play(100, load: 0.1)
        for _ in 0..<100 { plan.recordDecoding(30_000_000, threadCount: 4, frameRate: 30) }
        #expect(usesOneThread(), "the times of several threads do not count")
        for _ in 0..<100 { plan.recordDecoding(30_000_000, threadCount: 1, frameRate: 30) }
        #expect(!usesOneThread() && !usesOneThread(.none))
    }
}
