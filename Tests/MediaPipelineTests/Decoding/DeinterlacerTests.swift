import SharedFrames
import TestSupport
import Testing

@testable import MediaPipeline

/// Tests of deinterlacing with a clip filmed at 50 fields a second and stored as 25 interlaced pictures a second; each
/// field shows its own number.
@Suite struct DeinterlacerTests {
    /// The duration of a field (half of an interlaced picture) in nanoseconds.
    private let fieldDuration: Int64 = 20_000_000

    /// Returns the number of a field, read from the field's own lines: the even lines (`parity` 0) or the odd ones (1).
    /// The lines between them are interpolated, and may equal lines of the neighbouring fields.
    private func fieldNumber(_ frame: VideoFrame, _ parity: Int) -> Int? {
        frame.withPicture { picture in
            let layout = picture.layout
            func line(_ row: Double) -> [UInt8] {
                let y = Int(Double(layout.height) * row / Double(FrameCode.rows)) & ~1 | parity
                return (0..<FrameCode.columns).map {
                    picture.plane(0).load(
                        fromByteOffset: y * layout.planes[0].stride + ($0 * 2 + 1) * layout.width
                            / (2 * FrameCode.columns),
                        as: UInt8.self)
                }
            }
            return FrameCode.number(bits: line(4.5), complement: line(5.5))
        }
    }

    /// Returns up to 41 decoded frames of a clip.
    private func frames(_ mode: Deinterlacing, _ name: String = "interlaced.mkv", checksums: Bool = false) throws
        -> [VideoFrame]
    {
        let reader = try MediaReader(try Fixtures.path(name)) {
            $0.deinterlacing = mode
            $0.checksumHash = checksums ? .md5 : nil
        }
        var frames: [VideoFrame] = []
        while let frame = try reader.next() {
            frames.append(frame)
            // Each frame occupies memory of the bounded frame pool, so the test cannot keep all frames.
            if frames.count > 40 { break }
        }
        return frames
    }

    @Test func automaticModeMakesOneFrameOfEachField() throws {
        let frames = try frames(.automatic)
        let numbers = frames.enumerated().map { fieldNumber($1, $0 % 2) }
        #expect(numbers == Array(0..<frames.count))
        for (index, frame) in frames.enumerated() {
            #expect(
                abs(frame.presentationTime - frames[0].presentationTime - Int64(index) * fieldDuration) < 1_000_000
                    && frame.duration == fieldDuration)
        }
    }

    @Test func neverModeLeavesInterlacedPicturesUnchanged() throws {
        let frames = try frames(.never)
        #expect(frames.count > 20 && frames.allSatisfy { $0.duration == 2 * fieldDuration })
        for (index, frame) in frames.enumerated() {
            #expect(fieldNumber(frame, 0) == 2 * index && fieldNumber(frame, 1) == 2 * index + 1)
        }
        #expect(
            zip(frames, frames.dropFirst()).allSatisfy {
                $1.presentationTime - $0.presentationTime == 2 * fieldDuration
            })
    }

    @Test func onlyAlwaysModeFiltersProgressivePictures() throws {
        let reader = try MediaReader(try Fixtures.path("short.mp4"))
        var frameCount = 0
        while let frame = try reader.next() {
            #expect(frameNumber(of: frame) == frameCount)
            frameCount += 1
        }
        #expect(frameCount == 60)
        let filteringReader = try MediaReader(try Fixtures.path("short.mp4")) { $0.deinterlacing = .always }
        frameCount = 0
        while try filteringReader.next() != nil { frameCount += 1 }
        #expect(frameCount == 120, "always mode makes two frames of each picture")
    }

    @Test func eachDecodedPictureHasOneChecksum() throws {
        let (framesOfNeverMode, framesOfAutomaticMode) = (
            try frames(.never, checksums: true), try frames(.automatic, checksums: true)
        )
        let expected = framesOfNeverMode.flatMap(\.decodedPictures),
            actual = framesOfAutomaticMode.flatMap(\.decodedPictures)
        #expect(actual.count >= 20 && Array(expected.prefix(actual.count)) == actual)
    }

    @Test func exactSeekLandsOnTheSoughtField() throws {
        let reader = try MediaReader(try Fixtures.path("interlaced.mkv"))
        let start = try #require(try reader.next()).presentationTime
        for (generation, target) in [101, 30, 31, 0, 163, 77].enumerated() {
            reader.source.seek(
                SeekRequest(
                    time: start + Int64(target) * fieldDuration + fieldDuration / 2, precision: .exact,
                    generation: UInt32(generation + 1)))
            for expected in target..<target + 4 {
                let frame = try #require(try reader.next())
                #expect(fieldNumber(frame, expected % 2) == expected, "\(expected) after a seek to \(target)")
            }
        }
    }

    @Test func lastFieldsOfTheFileAreDelivered() throws {
        let reader = try MediaReader(try Fixtures.path("interlaced.mkv"))
        var frameCount = 0
        while try reader.next() != nil { frameCount += 1 }
        #expect(frameCount == 200)
    }

    @Test func modeCanChangeDuringPlayback() throws {
        let reader = try MediaReader(try Fixtures.path("interlaced.mkv")) { $0.frameLimit = 1 }
        for _ in 0..<20 { _ = try reader.next() }
        reader.source.setDeinterlacing(.never)
        var lastFrame: VideoFrame?, times: [Int64] = []
        while let frame = try reader.next() {
            times.append(frame.presentationTime)
            lastFrame = frame
        }
        #expect(lastFrame?.duration == 2 * fieldDuration)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }
}
