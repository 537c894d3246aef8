import Testing

@testable import SharedFrames

@Suite struct PictureReducerTests {
    /// Returns a frame format whose rows end with 13 bytes of padding.
    private func format(_ name: String, _ width: Int, _ height: Int) throws -> FrameFormat {
        let pixelFormat = try #require(PixelFormat(name: name))
        var planes: [FrameLayout.Plane] = []
        var offset = 0
        for index in 0..<pixelFormat.planeCount {
            let stride = pixelFormat.rowBytes(plane: index, width: width) + 13
            planes.append(.init(offset: offset, stride: stride))
            offset += stride * pixelFormat.rows(plane: index, height: height)
        }
        return FrameFormat(
            layout: try #require(FrameLayout(pixelFormat: pixelFormat, width: width, height: height, planes: planes)),
            attributes: PictureAttributes())
    }

    /// Returns a reducer for part of a picture of 2048x2048; nil if the part is not large enough to be reduced.
    private func reducer(_ name: String = "yuv420p", source: PixelRect, target: PixelSize) throws -> PictureReducer? {
        PictureReducer(try format(name, 2048, 2048), source: source, target: target)
    }

    @Test func pictureIsNeverReducedBelowTheTargetSize() throws {
        let wholePicture = PixelRect(x: 0, y: 0, width: 1920, height: 1080)
        let quarterReducer = try #require(try reducer(source: wholePicture, target: PixelSize(width: 480, height: 270)))
        #expect(quarterReducer.columns == 4 && quarterReducer.lines == 4)
        #expect(quarterReducer.size == PixelSize(width: 480, height: 270))
        let halfReducer = try #require(try reducer(source: wholePicture, target: PixelSize(width: 481, height: 271)))
        #expect(halfReducer.columns == 2 && halfReducer.lines == 2)
        #expect(try reducer(source: wholePicture, target: PixelSize(width: 961, height: 270)) == nil)
        #expect(try reducer(source: wholePicture, target: PixelSize(width: 480, height: 541)) == nil)
    }

    @Test func unalignedSourcesAndUnsupportedFormatsAreRejected() throws {
        let target = PixelSize(width: 100, height: 100)
        #expect(try reducer(source: PixelRect(x: 0, y: 0, width: 1022, height: 1023), target: target) == nil)
        #expect(try reducer(source: PixelRect(x: 1, y: 0, width: 1024, height: 1024), target: target) == nil)
        for name in ["yuv420p10le", "yuv444p", "nv12", "gray", "rgb24"] {
            #expect(
                try reducer(name, source: PixelRect(x: 0, y: 0, width: 1024, height: 1024), target: target) == nil,
                "\(name)")
        }
    }

    /// Reduces part of a noise picture by each pair of horizontal and vertical factors, and compares the result with a
    /// reference that is computed sample by sample.
    @Test(arguments: [4, 2], [2, 4, 8, 16]) func eachBlockBecomesTheMeanOfItsMiddleRows(_ columns: Int, _ lines: Int)
        throws
    {
        let format = try format("yuv420p", 86, 70)
        var seed: UInt32 = 1
        let bytes = (0..<format.layout.requiredSize).map { _ in
            seed = seed &* 1_664_525 &+ 1_013_904_223
            return UInt8(seed >> 24)
        }
        let source = PixelRect(x: 6, y: 4, width: 80, height: 64)
        let reducer = try #require(
            PictureReducer(format, source: source, target: PixelSize(width: 80 / columns, height: 64 / lines)))
        #expect(reducer.columns == columns && reducer.lines == lines)
        var reducedBytes = [UInt8](repeating: 0, count: reducer.byteCount)
        bytes.withUnsafeBytes { memory in
            reducedBytes.withUnsafeMutableBytes { out in
                guard let base = memory.baseAddress, let target = out.baseAddress else { return }
                reducer.reduce(PictureMemory(base: base, layout: format.layout), into: target)
            }
        }
        var start = 0
        for index in 0..<3 {
            let shift = index == 0 ? 0 : 1, plane = format.layout.planes[index], blockHeight = lines >> shift
            for y in 0..<reducer.size.height {
                for x in 0..<(reducer.size.width >> shift) {
                    let rows = blockHeight == 1 ? [0, 0] : [blockHeight / 2 - 1, blockHeight / 2]
                    let samples = rows.flatMap { row in
                        (0..<columns).map { column in
                            Int(
                                bytes[
                                    plane.offset + ((source.y >> shift) + y * blockHeight + row) * plane.stride
                                        + (source.x >> shift) + x * columns + column])
                        }
                    }
                    let mean = (samples.reduce(0, +) + samples.count / 2) / samples.count
                    #expect(
                        Int(reducedBytes[start + y * reducer.strides[index] + x]) == mean,
                        "plane \(index) at \(x), \(y)")
                }
            }
            start += reducer.strides[index] * reducer.size.height
        }
    }
}
