import Testing

@testable import SharedFrames

@Suite struct PixelFormatTests {
    /// For each format, the bytes per row and the number of rows of each plane of a 5 × 3 picture.
    private static let expectedPlanes: [(String, [Int], [Int])] = [
        ("yuv420p", [5, 3, 3], [3, 2, 2]), ("yuv422p", [5, 3, 3], [3, 3, 3]), ("yuv444p", [5, 5, 5], [3, 3, 3]),
        ("yuv440p", [5, 5, 5], [3, 2, 2]), ("yuv410p", [5, 2, 2], [3, 1, 1]), ("yuv411p", [5, 2, 2], [3, 3, 3]),
        ("yuva420p", [5, 3, 3, 5], [3, 2, 2, 3]), ("nv12", [5, 6], [3, 2]), ("nv16", [5, 6], [3, 3]),
        ("nv24", [5, 10], [3, 3]),
        ("yuv420p10le", [10, 6, 6], [3, 2, 2]), ("p010le", [10, 12], [3, 2]), ("yuyv422", [10], [3]),
        ("rgb24", [15], [3]),
        ("bgra", [20], [3]), ("gray", [5], [3]), ("gray10le", [10], [3]), ("rgb48le", [30], [3]),
        ("rgba64le", [40], [3]),
        ("gbrp", [5, 5, 5], [3, 3, 3]), ("gbrap", [5, 5, 5, 5], [3, 3, 3, 3]), ("pal8", [5], [3]),
        ("y210le", [20], [3]),
    ]

    @Test func planesHaveTheRowsAndRowLengthsOfFFmpeg() throws {
        for (name, bytes, rows) in Self.expectedPlanes {
            let format = try #require(PixelFormat(name: name))
            #expect(format.planeCount == bytes.count, "\(name)")
            #expect((0..<format.planeCount).map { format.rowBytes(plane: $0, width: 5) } == bytes, "\(name)")
            #expect((0..<format.planeCount).map { format.rows(plane: $0, height: 3) } == rows, "\(name)")
        }
    }

    @Test func pixelFormatProtocolNumbersAreFixed() {
        let numbersAndNames: [(UInt16, String)] = [
            (0, "yuv420p"), (2, "rgb24"), (8, "gray"), (9, "pal8"), (18, "nv12"), (23, "bgra"), (41, "yuv420p10le"),
            (72, "bgr0"), (85, "p010le"),
        ]
        for (number, name) in numbersAndNames { #expect(PixelFormat(rawValue: number)?.name == name) }
    }

    @Test func pixelFormatNamesAndNumbersAreOneToOne() throws {
        #expect(Set(PixelFormat.descriptors.map(\.name)).count == PixelFormat.descriptors.count)
        for number in PixelFormat.descriptors.indices {
            let format = try #require(PixelFormat(rawValue: UInt16(number)))
            #expect(PixelFormat(name: format.name) == format)
            #expect((1...4).contains(format.planeCount))
            #expect(format.descriptor.sampleBytes.allSatisfy { (1...8).contains($0) })
        }
    }

    @Test func unknownPixelFormatNumbersAndNamesAreRefused() {
        #expect(PixelFormat(rawValue: UInt16(PixelFormat.descriptors.count)) == nil)
        #expect(PixelFormat(rawValue: .max) == nil)
        for name in ["", "yuv420", "YUV420P", "vaapi", "monow"] { #expect(PixelFormat(name: name) == nil, "\(name)") }
    }

    @Test func onlyPal8HasAPalette() {
        #expect(PixelFormat.descriptors.indices.filter { PixelFormat(rawValue: UInt16($0))?.hasPalette == true } == [9])
    }

    @Test func onlyPackedFormatsWithSharedChromaAreMarked() {
        let names = PixelFormat.descriptors.map(\.name).filter { PixelFormat(name: $0)?.isPackedChroma == true }
        #expect(Set(names) == ["yuyv422", "uyvy422", "yvyu422", "y210le"])
    }

    @Test func chromaPlanesOfOddSizesCoverTheWholePicture() throws {
        for number in PixelFormat.descriptors.indices {
            let format = try #require(PixelFormat(rawValue: UInt16(number)))
            for plane in 1..<max(1, format.planeCount) {
                let bytesPerSample = format.descriptor.sampleBytes[plane]
                for size in 1...9 {
                    let isAlpha = plane == 3
                    let columns = format.rowBytes(plane: plane, width: size) / bytesPerSample
                    let rows = format.rows(plane: plane, height: size)
                    #expect(columns << (isAlpha ? 0 : format.descriptor.chromaShiftX) >= size, "\(format)")
                    #expect(rows << (isAlpha ? 0 : format.descriptor.chromaShiftY) >= size, "\(format)")
                    #expect(columns <= size && rows <= size && columns > 0 && rows > 0, "\(format)")
                }
            }
        }
    }
}
