import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct PictureScalerTests {
    /// A screen colour with 8 bits per component.
    private struct RGB: Equatable, CustomStringConvertible {
        var r: Int, g: Int, b: Int
        var description: String { "(\(r), \(g), \(b))" }
        /// Returns whether each component differs by at most `levels` of 255.
        func isNear(_ other: RGB, within levels: Int = 3) -> Bool {
            abs(r - other.r) <= levels && abs(g - other.g) <= levels && abs(b - other.b) <= levels
        }
    }

    /// The tested colours.
    private static let colours = [
        RGB(r: 0, g: 0, b: 0), RGB(r: 64, g: 64, b: 64), RGB(r: 128, g: 128, b: 128), RGB(r: 200, g: 200, b: 200),
        RGB(r: 255, g: 255, b: 255),
        RGB(r: 255, g: 0, b: 0), RGB(r: 0, g: 255, b: 0), RGB(r: 0, g: 0, b: 255),
    ]

    /// Returns the Y'CbCr samples of a colour with a depth of `bits`, by the formulas of BT.601, BT.709, SMPTE 240M and
    /// BT.2020.
    private func samples(
        _ colour: RGB, matrix: MatrixCoefficients, isFullRange: Bool, bits: Int = 8
    ) -> (y: Int, u: Int, v: Int) {
        let (kr, kb) =
            switch matrix {
            case .bt709: (0.2126, 0.0722)
            case .smpte240M: (0.212, 0.087)
            case .bt2020: (0.2627, 0.0593)
            default: (0.299, 0.114)
            }
        let r = Double(colour.r) / 255, g = Double(colour.g) / 255, b = Double(colour.b) / 255
        let y = kr * r + (1 - kr - kb) * g + kb * b, u = (b - y) / (2 * (1 - kb)), v = (r - y) / (2 * (1 - kr))
        let unit = Double(1 << (bits - 8)), maximum = Double(1 << bits) - 1
        let luma = isFullRange ? y * maximum : (16 + 219 * y) * unit
        let chroma = { (c: Double) in isFullRange ? c * maximum + Double(1 << (bits - 1)) : (128 + 224 * c) * unit }
        let clampedInteger = { (x: Double) in max(0, min(Int(maximum), Int(x.rounded()))) }
        return (clampedInteger(luma), clampedInteger(chroma(u)), clampedInteger(chroma(v)))
    }

    /// Returns a frame format whose rows and planes have padding.
    private func format(
        _ name: String, _ width: Int, _ height: Int, matrix: MatrixCoefficients = .smpte170M, isFullRange: Bool = false
    ) throws -> FrameFormat {
        let pixelFormat = try #require(PixelFormat(name: name))
        var planes: [FrameLayout.Plane] = []
        var offset = 0
        for index in 0..<pixelFormat.planeCount {
            let stride = (pixelFormat.rowBytes(plane: index, width: width) + 63) & ~31
            planes.append(.init(offset: offset, stride: stride))
            offset += stride * (pixelFormat.rows(plane: index, height: height) + 1)
        }
        var attributes = PictureAttributes()
        (attributes.matrix, attributes.isFullRange) = (matrix, isFullRange)
        let layout = try #require(FrameLayout(pixelFormat: pixelFormat, width: width, height: height, planes: planes))
        return FrameFormat(layout: layout, attributes: attributes)
    }

    /// Returns the bytes of a picture in which each row of a plane repeats the byte pattern of that plane.
    private func filledPicture(_ format: FrameFormat, _ patterns: [[UInt8]]) -> [UInt8] {
        let layout = format.layout
        var bytes = [UInt8](repeating: 0, count: layout.requiredSize + 256)
        for (index, pattern) in patterns.enumerated() {
            for row in 0..<layout.pixelFormat.rows(plane: index, height: layout.height) {
                let start = layout.planes[index].offset + row * layout.planes[index].stride
                for column in 0..<layout.pixelFormat.rowBytes(plane: index, width: layout.width) {
                    bytes[start + column] = pattern[column % pattern.count]
                }
            }
        }
        return bytes
    }

    /// Returns the pixels of the scaled picture, row by row; nil if the scaler refuses the format.
    private func draw(_ bytes: [UInt8], _ format: FrameFormat, source: PixelRect, size: PixelSize) -> [RGB]? {
        let stride = (size.width * 4 + 63) & ~31
        var target = [UInt8](repeating: 0x77, count: stride * size.height)
        let isDrawn = bytes.withUnsafeBytes { memory in
            target.withUnsafeMutableBytes { pixels in
                guard let base = memory.baseAddress, let out = pixels.baseAddress else { return false }
                return PictureScaler().draw(
                    PictureMemory(base: base, layout: format.layout), format: format, source: source, into: out,
                    size: size, stride: stride)
            }
        }
        guard isDrawn else { return nil }
        return (0..<size.height).flatMap { y in
            (0..<size.width).map { x in
                RGB(
                    r: Int(target[y * stride + x * 4 + 2]), g: Int(target[y * stride + x * 4 + 1]),
                    b: Int(target[y * stride + x * 4]))
            }
        }
    }

    /// Checks that a picture whose planes are filled with the byte patterns `patterns` has the colour `colour` at
    /// several sizes.
    private func expectColour(_ colour: RGB, _ format: FrameFormat, _ patterns: [[UInt8]]) throws {
        let bytes = filledPicture(format, patterns)
        let wholePicture = PixelRect(x: 0, y: 0, width: format.layout.width, height: format.layout.height)
        for size in [wholePicture.size, PixelSize(width: 24, height: 18), PixelSize(width: 96, height: 72)] {
            let pixels = try #require(draw(bytes, format, source: wholePicture, size: size))
            let differingPixel = pixels.first { !$0.isNear(colour) }
            #expect(
                differingPixel == nil,
                "\(format.layout.pixelFormat) matrix \(format.attributes.matrix.rawValue) to \(size): wanted \(colour)")
        }
    }

    /// Returns a 16-bit sample as two bytes, the lower one first.
    private static func littleEndianBytes(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }

    @Test(arguments: [.bt709, .smpte170M, .smpte240M, .bt2020] as [MatrixCoefficients], [false, true])
    func coloursOf8BitFormatsAreCorrect(
        _ matrix: MatrixCoefficients, _ isFullRange: Bool
    ) throws {
        for colour in Self.colours {
            let (y, u, v) = samples(colour, matrix: matrix, isFullRange: isFullRange)
            let (cy, cu, cv) = (UInt8(y), UInt8(u), UInt8(v))
            for name in ["yuv420p", "yuv422p", "yuv444p", "yuv411p", "yuv440p", "yuv410p"] {
                let format = try format(name, 64, 48, matrix: matrix, isFullRange: isFullRange)
                try expectColour(colour, format, [[cy], [cu], [cv]])
            }
            let semiPlanarFormat = try format("nv12", 64, 48, matrix: matrix, isFullRange: isFullRange)
            try expectColour(colour, semiPlanarFormat, [[cy], [cu, cv]])
            let packedFormat = try format("yuyv422", 64, 48, matrix: matrix, isFullRange: isFullRange)
            try expectColour(colour, packedFormat, [[cy, cu, cy, cv]])
        }
    }

    @Test(arguments: [.bt709, .smpte170M, .bt2020] as [MatrixCoefficients], [false, true])
    func coloursOf10BitFormatsAreCorrect(
        _ matrix: MatrixCoefficients, _ isFullRange: Bool
    ) throws {
        for colour in Self.colours {
            let (y, u, v) = samples(colour, matrix: matrix, isFullRange: isFullRange, bits: 10)
            try expectColour(
                colour, try format("yuv420p10le", 64, 48, matrix: matrix, isFullRange: isFullRange),
                [Self.littleEndianBytes(y), Self.littleEndianBytes(u), Self.littleEndianBytes(v)])
            try expectColour(
                colour, try format("p010le", 64, 48, matrix: matrix, isFullRange: isFullRange),
                [Self.littleEndianBytes(y << 6), Self.littleEndianBytes(u << 6) + Self.littleEndianBytes(v << 6)])
        }
    }

    @Test(arguments: [("12le", 12), ("16le", 16), ("9le", 9), ("14le", 14)], [false, true])
    func coloursOfDeeperFormatsAreCorrect(_ depth: (String, Int), _ isFullRange: Bool) throws {
        for colour in Self.colours {
            let (y, u, v) = samples(colour, matrix: .bt709, isFullRange: isFullRange, bits: depth.1)
            for name in ["yuv420p", "yuv422p", "yuv444p"] {
                try expectColour(
                    colour, try format(name + depth.0, 64, 48, matrix: .bt709, isFullRange: isFullRange),
                    [Self.littleEndianBytes(y), Self.littleEndianBytes(u), Self.littleEndianBytes(v)])
            }
        }
    }

    @Test(arguments: [false, true]) func greyFormatsHonourTheSampleRange(_ isFullRange: Bool) throws {
        for colour in Self.colours where colour.r == colour.g && colour.g == colour.b {
            let y = samples(colour, matrix: .smpte170M, isFullRange: isFullRange).y,
                sample10Bit = samples(colour, matrix: .smpte170M, isFullRange: isFullRange, bits: 10).y
            try expectColour(colour, try format("gray", 64, 48, isFullRange: isFullRange), [[UInt8(y)]])
            try expectColour(
                colour, try format("gray10le", 64, 48, isFullRange: isFullRange),
                [Self.littleEndianBytes(sample10Bit)])
        }
    }

    /// Strong reduction skips source lines, but each target line must still show its own part of the picture.
    @Test(arguments: ["gray", "yuv420p", "yuv410p"], [1024, 1056, 1080]) func strongReductionKeepsLinePositions(
        _ name: String, _ height: Int
    ) throws {
        let format = try format(name, 64, height, isFullRange: true)
        var bytes = filledPicture(format, Array([[0], [128], [128]].prefix(format.layout.planes.count)))
        for row in 0..<height {
            let start = format.layout.planes[0].offset + row * format.layout.planes[0].stride
            for column in 0..<64 { bytes[start + column] = UInt8(row * 255 / (height - 1)) }
        }
        let size = PixelSize(width: 8, height: 32)
        let pixels = try #require(
            draw(bytes, format, source: PixelRect(x: 0, y: 0, width: 64, height: height), size: size))
        for y in 0..<size.height {
            let expectedBrightness = (Double(y) + 0.5) * 255 / Double(size.height)
            #expect(abs(Double(pixels[y * size.width + 3].g) - expectedBrightness) < 4.5, "line \(y) of \(height)")
        }
        let key = PictureScaler.ContextKey(
            format: format, source: PixelRect(x: 0, y: 0, width: 64, height: height), targetSize: size)
        #expect(key.lineStep == (height % 64 == 0 ? 16 : height % 32 == 0 ? 8 : 2))
    }

    /// Columns that are skipped make fine patterns shimmer when they move.
    @Test(arguments: ["yuv420p", "yuv422p"], [96, 90, 72, 50]) func noColumnIsSkipped(_ name: String, _ width: Int)
        throws
    {
        let format = try self.format(name, 128, 96, isFullRange: true)
        let size = PixelSize(width: width, height: width * 3 / 4)
        let pixels = try #require(
            draw(
                filledPicture(format, [[0, 255], [128], [128]]), format,
                source: PixelRect(x: 0, y: 0, width: 128, height: 96), size: size))
        for y in 0..<size.height {
            for x in 1..<width - 1 { #expect(60...195 ~= pixels[y * width + x].g, "column \(x) of \(width)") }
        }
    }

    @Test func coloursOfRGBFormatsAreCorrect() throws {
        for colour in Self.colours {
            let (r, g, b) = (UInt8(colour.r), UInt8(colour.g), UInt8(colour.b))
            try expectColour(colour, try format("rgb24", 64, 48), [[r, g, b]])
            try expectColour(colour, try format("bgra", 64, 48), [[b, g, r, 255]])
            try expectColour(colour, try format("gbrp", 64, 48), [[g], [b], [r]])
        }
    }

    @Test func anUnspecifiedMatrixFollowsThePictureSize() throws {
        let red = RGB(r: 255, g: 0, b: 0)
        for (width, height, matrix) in [
            (64, 48, .smpte170M), (1024, 576, .smpte170M), (64, 577, .bt709), (1280, 48, .bt709),
        ] as [(Int, Int, MatrixCoefficients)] {
            let (y, u, v) = samples(red, matrix: matrix, isFullRange: false)
            let format = try self.format("yuv420p", width, height, matrix: .unspecified)
            let pixels = try #require(
                draw(
                    filledPicture(format, [[UInt8(y)], [UInt8(u)], [UInt8(v)]]), format,
                    source: PixelRect(x: 0, y: 0, width: width, height: height),
                    size: PixelSize(width: 64, height: 48)))
            #expect(pixels.allSatisfy { $0.isNear(red) }, "\(width)x\(height)")
        }
    }

    @Test(arguments: ["rgb24", "gray", "yuv444p", "bgra"]) func onlyTheSourceRectangleIsDrawn(_ name: String) throws {
        let format = try self.format(name, 64, 48, isFullRange: true)
        let layout = format.layout
        var bytes = filledPicture(format, (0..<layout.pixelFormat.planeCount).map { $0 == 0 ? [0] : [128] })
        // The picture is white inside the source rectangle and black around it.
        let source = PixelRect(x: 21, y: 13, width: 16, height: 12)
        for y in source.y..<(source.y + source.height) {
            let sample = layout.pixelFormat.descriptor.sampleBytes[0]
            for byte in (source.x * sample)..<((source.x + source.width) * sample) {
                bytes[layout.planes[0].offset + y * layout.planes[0].stride + byte] = 255
            }
        }
        let pixels = try #require(draw(bytes, format, source: source, size: source.size))
        #expect(pixels.allSatisfy { $0.isNear(RGB(r: 255, g: 255, b: 255)) })
    }

    @Test func emptyTargetIsNotDrawn() throws {
        let format = try self.format("yuv420p", 64, 48)
        #expect(
            draw(
                filledPicture(format, [[0], [0], [0]]), format, source: PixelRect(x: 0, y: 0, width: 64, height: 48),
                size: PixelSize(width: 0, height: 0)) == nil)
    }
}
