import CFFmpeg
import SharedFrames
import Testing

@testable import MediaPipeline

@Suite struct PictureSideDataTests {
    /// Returns the properties that side data of a decoded frame states.
    private func sideData<Value: BitwiseCopyable>(_ type: AVFrameSideDataType, _ value: [Value]) throws
        -> PictureSideData
    {
        var frame: UnsafeMutablePointer<AVFrame>? = av_frame_alloc()
        defer { av_frame_free(&frame) }
        let pointer = try #require(frame)
        let entry = try #require(av_frame_new_side_data(pointer, type, value.count * MemoryLayout<Value>.stride))
        value.withUnsafeBytes { bytes in
            UnsafeMutableRawBufferPointer(start: entry.pointee.data, count: bytes.count).copyMemory(from: bytes)
        }
        return PictureSideData(frame: pointer)
    }

    /// Returns the orientation that a display matrix states.
    private func orientation(_ a: Int32, _ b: Int32, _ c: Int32, _ d: Int32) throws -> PictureOrientation? {
        try sideData(AV_FRAME_DATA_DISPLAYMATRIX, [a, b, 0, c, d, 0, 0, 0, 1 << 30]).orientation
    }

    @Test func aDisplayMatrixStatesTheOrientation() throws {
        let one: Int32 = 1 << 16
        #expect(try orientation(one, 0, 0, one) == .upright)
        let quarterTurn = try orientation(0, one, -one, 0)
        #expect(quarterTurn == PictureOrientation.upright.rotatedClockwise(quarterTurns: 1))
        #expect(try orientation(-one, 0, 0, one)?.mirrorsX == true)
    }

    @Test func aMatrixThatFlattensThePictureStatesNoOrientation() throws {
        #expect(try orientation(0, 0, 0, 0) == nil && orientation(1, 2, 2, 4) == nil)
        #expect(try orientation(.max, .max, .max, .max) == nil && orientation(.min, 0, 0, .min) != nil)
        #expect(try sideData(AV_FRAME_DATA_DISPLAYMATRIX, [Int32](repeating: 1 << 16, count: 8)).orientation == nil)
    }

    @Test(arguments: [(0, nil), (99, nil), (100, 100), (1000, 1000), (10_000, 10_000), (10_001, nil)])
    func onlyAPlausibleLuminanceOfTheContentIsUsed(_ luminance: UInt32, _ expected: UInt16?) throws {
        let level = AVContentLightMetadata(MaxCLL: luminance, MaxFALL: 200)
        let sideData = try sideData(AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, [level])
        #expect(sideData.peakLuminance == expected)
    }

    @Test(arguments: [(10_000_000, 10_000, 1, 1000), (1000, 0, 1, nil), (1000, 1, 0, nil), (50, 1, 1, nil)])
    func theLuminanceOfTheMasteringDisplayIsAFraction(
        _ numerator: Int32, _ denominator: Int32, _ isStated: Int32, _ expected: UInt16?
    ) throws {
        var display = AVMasteringDisplayMetadata()
        display.max_luminance = AVRational(num: numerator, den: denominator)
        display.has_luminance = isStated
        #expect(try sideData(AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, [display]).peakLuminance == expected)
    }
}
