import MediaPipeline
import SystemCalls
import TestSupport
import Testing

@testable import SwiftPlay

@Suite struct ImageGeneratorTests {
    /// Returns the frame number that is drawn as a grid of black and white fields into a picture of the test clip; nil
    /// if the number cannot be read.
    private func frameNumber(in image: PixelBuffer) -> Int? {
        /// Returns the green byte at the centre of each field in a row of the grid; rows are counted from 0 at the top.
        func greenBytes(inRow row: Double) -> [UInt8] {
            let y = Int(Double(image.height) * row / Double(FrameCode.rows))
            return (0..<FrameCode.columns).map { column in
                let x = (column * 2 + 1) * image.width / (2 * FrameCode.columns)
                // The green byte is enough to distinguish black from white.
                return image.withUnsafeBytes(ofPlane: 0) { $0[y * image.bytesPerRow(ofPlane: 0) + x * 4 + 1] }
            }
        }
        return FrameCode.number(bits: greenBytes(inRow: 4.5), complement: greenBytes(inRow: 5.5))
    }

    @Test func timeToleranceSelectsTheExactFrameOrAKeyframe() async throws {
        let generator = ImageGenerator(location: try Fixtures.path("count30.mp4"))
        let time = MediaTime(seconds: 3.5)
        let keyframeImage = try await generator.image(at: time)
        #expect(keyframeImage.actualTime == MediaTime(value: 2, timescale: 1))
        #expect(frameNumber(in: keyframeImage.image) == 60)
        #expect(keyframeImage.image.pixelFormat == .bgrx)
        #expect(keyframeImage.image.width == 640 && keyframeImage.image.height == 360)
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        let exactImage = try await generator.image(at: time)
        #expect(exactImage.actualTime == time)
        #expect(frameNumber(in: exactImage.image) == 105)
    }

    /// The test clip has a keyframe every two seconds.
    @Test func timeToleranceAfterSelectsTheNextKeyframe() async throws {
        let generator = ImageGenerator(location: try Fixtures.path("count30.mp4"))
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = MediaTime(seconds: 1)
        let nextKeyframeImage = try await generator.image(at: MediaTime(seconds: 3.5))
        #expect(nextKeyframeImage.actualTime == MediaTime(value: 4, timescale: 1))
        #expect(frameNumber(in: nextKeyframeImage.image) == 120)
        // No keyframe lies between 2.5 s and 3.5 s, so the result is the exact frame.
        let exactImage = try await generator.image(at: MediaTime(seconds: 2.5))
        #expect(exactImage.actualTime == MediaTime(seconds: 2.5))
    }

    @Test func imagesArriveInRequestedOrderAndFitTheMaximumSize() async throws {
        let generator = ImageGenerator(location: try Fixtures.path("count30.mp4"))
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        generator.maximumSize = VideoSize(width: 320, height: 320)
        let times = [10, 1, 19, 5].map { MediaTime(value: $0, timescale: 1) } + [MediaTime(value: 100, timescale: 1)]
        var frameNumbers: [Int?] = [], failureCount = 0
        for await image in generator.images(for: times) {
            switch image.result {
            case .success(let picture):
                #expect((picture.width, picture.height) == (320, 180))
                #expect(image.actualTime == image.requestedTime)
                frameNumbers.append(frameNumber(in: picture))
            case .failure(let error):
                #expect(error.code == .notFound && !image.actualTime.isValid)
                failureCount += 1
            }
        }
        #expect(frameNumbers == [300, 30, 570, 150])
        #expect(failureCount == 1)
    }

    @Test func streamKeepsItsImagesWhenTheGeneratorIsReleased() async throws {
        let times = [0, 3.5, 7].map { MediaTime(seconds: $0) }
        var generator: ImageGenerator? = ImageGenerator(location: try Fixtures.path("count30.mp4"))
        let stream = try #require(generator?.images(for: times))
        generator = nil
        var numbers: [Int?] = []
        for await image in stream { numbers.append(frameNumber(in: try image.result.get())) }
        #expect(numbers == [0, 60, 180])
    }

    @Test func keepingManyImagesDoesNotExhaustTheDecodersFramePool() async throws {
        let generator = ImageGenerator(location: try Fixtures.path("count30.mp4"))
        generator.maximumSize = VideoSize(width: 160, height: 90)
        var images: [PixelBuffer] = []
        for await image in generator.images(for: (0..<150).map { MediaTime(value: Int64($0 % 20), timescale: 1) }) {
            images.append(try image.result.get())
        }
        #expect(images.count == 150)
        #expect(
            images.allSatisfy { frameNumber(in: $0).map { $0 % 60 == 0 } == true }, "a still is not an intact keyframe")
    }

    @Test func filesWithoutAPictureThrowPlaybackError() async throws {
        let generator = ImageGenerator(location: try Fixtures.path("text.mp4"))
        for _ in 0..<2 {
            await #expect(throws: PlaybackError.self) { try await generator.image(at: .zero) }
        }
        let audioGenerator = ImageGenerator(location: try Fixtures.path("audio.ogg"))
        await #expect(throws: PlaybackError.self) { try await audioGenerator.image(at: .zero) }
    }

    @Test func imageRequestsCanBeCancelled() async throws {
        let generator = ImageGenerator(location: try Fixtures.path("count30.mp4"))
        generator.requestedTimeToleranceBefore = .zero
        generator.requestedTimeToleranceAfter = .zero
        var receivedCount = 0
        for await _ in generator.images(for: (0..<2000).map { MediaTime(value: Int64($0 % 20), timescale: 1) }) {
            receivedCount += 1
            if receivedCount == 3 { generator.cancelAllImageGeneration() }
        }
        #expect(receivedCount < 2000)
        let task = Task { try await generator.image(at: MediaTime(value: 1, timescale: 1)) }
        task.cancel()
        // The image request may have finished before the cancellation, but it must end.
        _ = await task.result
        #expect(try await generator.image(at: .zero).actualTime == .zero)
    }

    /// A task may be cancelled before it makes its image request. The request must then complete without a picture.
    @Test func imageRequestCancelledInAdvanceCompletesAtOnce() {
        let worker = ThumbnailWorker(asset: Asset(location: "/nowhere"), policy: OpenPolicy())
        defer { worker.endAfterRequests() }
        let number = worker.reserveRequestNumber()
        worker.cancel(number)
        let cancellationFlags = Monitor<[Bool]>([])
        worker.request(number, .zero) { result in cancellationFlags.withLock { $0.append(result == nil) } }
        #expect(cancellationFlags.withLock { $0 } == [true])
    }
}
