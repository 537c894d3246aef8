import SharedFrames
import TestSupport
import Testing
import VideoOutput

@testable import MediaPipeline

/// Tests of pictures as a viewer sees them: decoded, rotated, cropped and scaled as in the player's window.
@Suite struct PictureFormatTests {
    /// Draws a frame at its display size, and returns the frame number that the picture shows.
    private func shownFrameNumber(_ frame: VideoFrame) -> Int? {
        let size = frame.format.displaySize,
            wholePicture = PixelRect(
                x: 0, y: 0, width: frame.format.orientedSize.width, height: frame.format.orientedSize.height)
        var pixels = [UInt32](repeating: 0, count: size.width * size.height + 1024)
        let isDrawn = frame.withPicture { picture in
            pixels.withUnsafeMutableBytes { bytes in
                bytes.baseAddress.map {
                    PictureScaler().draw(
                        picture, format: frame.format, source: frame.format.decodedRect(of: wholePicture), into: $0,
                        size: size, stride: size.width * 4)
                } ?? false
            }
        }
        guard isDrawn else { return nil }
        func line(_ row: Double) -> [UInt8] {
            let y = Int(Double(size.height) * row / Double(FrameCode.rows))
            return (0..<FrameCode.columns).map {
                UInt8((pixels[y * size.width + ($0 * 2 + 1) * size.width / (2 * FrameCode.columns)] >> 8) & 255)
            }
        }
        return FrameCode.number(bits: line(4.5), complement: line(5.5))
    }

    /// Returns the frame numbers that the pictures of a clip show.
    private func frameNumbers(_ name: String, _ configure: (inout MediaSourceConfiguration) -> Void = { _ in }) throws
        -> [Int?]
    {
        let reader = try MediaReader(try Fixtures.path(name), configure: configure)
        var numbers: [Int?] = []
        while let frame = try reader.next() { numbers.append(shownFrameNumber(frame)) }
        return numbers
    }

    @Test(arguments: [("turned.mp4", 180), ("mirrored.mp4", 180), ("aperture.mp4", 60)])
    func rotatedMirroredAndCroppedPicturesAreShownUpright(_ name: String, _ frameCount: Int) throws {
        let reader = try MediaReader(try Fixtures.path(name))
        var numbers: [Int?] = []
        while let frame = try reader.next() {
            #expect(frame.format.displaySize == PixelSize(width: 320, height: 180))
            numbers.append(shownFrameNumber(frame))
        }
        #expect(numbers == Array(0..<frameCount))
    }

    @Test func nonSquareSamplesStretchThePicture() throws {
        let frame = try #require(try MediaReader(try Fixtures.path("anamorphic.mp4")).next())
        #expect(frame.format.displaySize == PixelSize(width: 640, height: 360))
        #expect(shownFrameNumber(frame) == 0)
    }

    @Test(arguments: [
        ("yuv420p10be", "yuv420p10le"), ("yuv422p12be", "yuv422p12le"), ("yuv444p16be", "yuv444p16le"),
        ("yuv411p", "yuv411p"),
        ("yuv440p", "yuv440p"), ("nv12", "nv12"), ("uyvy422", "uyvy422"), ("gray", "gray"), ("gray16be", "gray16le"),
        ("monow", "gray"), ("monob", "gray"), ("pal8", "pal8"), ("rgb24", "rgb24"), ("bgra", "bgra"),
        ("rgb48be", "rgb48le"), ("gbrp", "gbrp"),
        ("gbrp12be", "gbrp12le"), ("yuva420p", "yuva420p"), ("yuva444p10be", "yuva444p10le"),
    ])
    func everyPixelFormatIsShown(_ name: String, _ expectedFormat: String) throws {
        let reader = try MediaReader(try Fixtures.path("format-\(name).nut"))
        var frameCount = 0
        while let frame = try reader.next() {
            #expect(frame.format.layout.pixelFormat.name == expectedFormat)
            #expect(shownFrameNumber(frame) == frameCount)
            frameCount += 1
        }
        #expect(frameCount == 3)
    }

    @Test func changeOfSizeAndFormatLosesNoFrames() throws {
        let reader = try MediaReader(try Fixtures.path("sizes.h264"))
        var numbers: [Int?] = [], formats: [String] = []
        while let frame = try reader.next() {
            numbers.append(self.shownFrameNumber(frame))
            let layout = frame.format.layout, formatText = "\(layout.width)x\(layout.height) \(layout.pixelFormat)"
            if formats.last != formatText { formats.append(formatText) }
        }
        #expect(numbers == Array(0..<30) + Array(0..<30) + Array(0..<30))
        #expect(formats == ["640x360 yuv420p", "320x180 yuv444p", "360x640 yuv420p"])
    }

    @Test func checksumsDescribeTheFormatBeforeConversion() throws {
        for name in ["format-yuv420p10be.nut", "format-monow.nut"] {
            let reader = try MediaReader(try Fixtures.path(name)) { $0.checksumHash = .md5 }
            let frame = try #require(try reader.next())
            #expect(
                frame.decodedPictures.count == 1 && name.contains(frame.decodedPictures.first?.format ?? "-"),
                "\(name): \(frame.decodedPictures)")
        }
    }
}
