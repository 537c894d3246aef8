import SharedFrames
import Testing

@testable import MediaPipeline

@Suite struct DecoderThreadsTests {
    /// Returns the number of decoder threads for pictures of the given size.
    private func threadCount(_ width: Int, _ height: Int) -> Int {
        DecoderThreads.count(for: PixelSize(width: width, height: height))
    }

    @Test("Pictures up to CIF use one thread")
    func picturesUpToCIFUseOneThread() {
        #expect(threadCount(1, 1) == 1 && threadCount(176, 144) == 1 && threadCount(352, 288) == 1)
        #expect(threadCount(353, 288) > 1)
    }

    @Test("Pictures up to 720p use twice as many threads as larger ones")
    func picturesUpTo720pUseTwiceAsManyThreads() {
        #expect(threadCount(640, 360) == threadCount(1280, 720))
        #expect(threadCount(1280, 720) == 2 * threadCount(1281, 720))
        #expect(threadCount(1281, 720) == threadCount(7680, 4320))
    }

    @Test("A picture of unknown size is decoded with as many threads as small pictures")
    func pictureOfUnknownSizeIsTreatedAsSmall() {
        #expect(threadCount(0, 0) == threadCount(640, 360))
    }

    @Test("In the background one thread decodes pictures up to 1080p, unless it is too slow")
    func backgroundUsesOneThreadUpTo1080p() {
        func backgroundThreadCount(_ width: Int, _ height: Int, isOneThreadTooSlow: Bool = false) -> Int {
            DecoderThreads.count(
                for: PixelSize(width: width, height: height), limit: 2, isOneThreadTooSlow: isOneThreadTooSlow)
        }
        #expect(backgroundThreadCount(1920, 1088) == 1 && backgroundThreadCount(640, 360) == 1)
        #expect(backgroundThreadCount(1920, 1088, isOneThreadTooSlow: true) == min(2, threadCount(1920, 1088)))
        #expect(backgroundThreadCount(3840, 2160) == min(2, threadCount(3840, 2160)))
        #expect(backgroundThreadCount(0, 0) == 2)
    }

    @Test("One thread decodes pictures up to 1080p if it is preferred, unless it is too slow")
    func onePreferredThreadDecodesUpTo1080p() {
        let size = PixelSize(width: 1920, height: 1088), count = threadCount(1920, 1088)
        #expect(DecoderThreads.count(for: size, prefersOneThread: true) == 1)
        #expect(DecoderThreads.count(for: size, prefersOneThread: true, isOneThreadTooSlow: true) == count)
        let largeSize = PixelSize(width: 1920, height: 1089)
        #expect(DecoderThreads.count(for: largeSize, prefersOneThread: true) == count)
    }

    @Test("Threads share pictures larger than 1080p if the track permits it")
    func threadsShareLargePictures() {
        let large = PixelSize(width: 3840, height: 2160), small = PixelSize(width: 1920, height: 1088)
        #expect(DecoderThreads.dividesPictures(of: large, hasWavefronts: true))
        #expect(!DecoderThreads.dividesPictures(of: large, hasWavefronts: false))
        #expect(!DecoderThreads.dividesPictures(of: small, hasWavefronts: true))
    }

    @Test("There is at least one thread, and at most 16")
    func threadCountIsFrom1To16() {
        for count in [threadCount(640, 360), threadCount(3840, 2160)] { #expect((1...16).contains(count)) }
    }
}
