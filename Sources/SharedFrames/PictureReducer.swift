/// A fast reduction of a large picture to nearly the size at which it is shown, before libswscale scales it exactly.
/// The mean of each block of samples becomes one sample.
///
/// A Picture-in-Picture window has about a sixteenth of the pixels of a 1080p picture, so that reading the samples
/// takes most of the time. The reducer reads each sample at most once, in order: in blocks of more than two lines it
/// averages only the two middle lines, like a graphics card's bilinear filter. It supports 8-bit 4:2:0, the format of
/// nearly all files. The result has full chroma lines (4:2:2) because each plane is reduced separately.
package struct PictureReducer: Equatable {
    /// The number of columns and lines in a block.
    package let columns: Int, lines: Int
    /// The part of the picture to reduce, in samples.
    let source: PixelRect

    /// Chooses the largest blocks with which the reduced picture is not smaller than `target`. Returns nil if there are
    /// no such blocks, if the format is not 8-bit 4:2:0, if `target` is empty, or if `source` has odd coordinates or
    /// does not consist of whole blocks.
    package init?(_ format: FrameFormat, source: PixelRect, target: PixelSize) {
        guard ["yuv420p", "yuvj420p"].contains(format.layout.pixelFormat.name), !target.isEmpty else { return nil }
        let columns = [4, 2].first { source.width >= $0 * target.width && source.width % ($0 * 2) == 0 }
        let lines = [16, 8, 4, 2].first { source.height >= $0 * target.height && source.height % $0 == 0 }
        guard let columns, let lines, source.x % 2 == 0, source.y % 2 == 0 else { return nil }
        (self.columns, self.lines, self.source) = (columns, lines, source)
    }

    /// The size of the reduced picture.
    package var size: PixelSize { PixelSize(width: source.width / columns, height: source.height / lines) }
    /// The number of bytes from one row to the next, for luma and for both chroma planes of the reduced picture.
    package var strides: [Int] {
        [(size.width + 127) & ~63, (size.width / 2 + 127) & ~63, (size.width / 2 + 127) & ~63]
    }
    /// The size of the reduced picture in bytes.
    package var byteCount: Int { strides.reduce(0, +) * size.height }

    /// Returns the start address of each plane of a reduced picture at `memory`.
    package func planes(in memory: UnsafeMutableRawPointer) -> [UnsafeMutableRawPointer] {
        let strides = strides
        return [memory, memory + strides[0] * size.height, memory + (strides[0] + strides[1]) * size.height]
    }

    /// Writes the reduced picture to `memory`, which must have room for ``byteCount`` bytes.
    package func reduce(_ picture: PictureMemory, into memory: UnsafeMutableRawPointer) {
        for (index, target) in planes(in: memory).enumerated() {
            let stride = picture.layout.planes[index].stride, chromaShift = index == 0 ? 0 : 1
            let samples = picture.plane(index) + (source.y >> chromaShift) * stride + (source.x >> chromaShift)
            // Chroma planes of 4:2:0 have half as many lines as luma.
            reduce(
                samples, stride, lines: lines >> chromaShift, into: target, strides[index],
                width: size.width >> chromaShift)
        }
    }

    /// Reduces one plane of samples.
    private func reduce(
        _ samples: UnsafeRawPointer, _ stride: Int, lines: Int, into target: UnsafeMutableRawPointer,
        _ targetStride: Int, width: Int
    ) {
        for row in 0..<size.height {
            let firstLine = samples + (row * lines + (lines - 1) / 2) * stride
            let secondLine = lines > 1 ? firstLine + stride : firstLine
            let targetRow = target + row * targetStride
            if columns == 4 {
                Self.averageFourColumns(firstLine, secondLine, to: targetRow, count: width)
            } else {
                Self.averageTwoColumns(firstLine, secondLine, to: targetRow, count: width)
            }
        }
    }

    // `averageFourColumns` and `averageTwoColumns` load whole blocks as integers; the compiler turns their loops into
    // vector instructions.

    /// Writes the mean of each block of four columns in two lines.
    private static func averageFourColumns(
        _ firstLine: UnsafeRawPointer, _ secondLine: UnsafeRawPointer, to target: UnsafeMutableRawPointer, count: Int
    ) {
        let mask: UInt32 = 0x00ff_00ff
        for index in 0..<count {
            let a = firstLine.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self),
                b = secondLine.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self)
            let sums = (a & mask) &+ ((a &>> 8) & mask) &+ (b & mask) &+ ((b &>> 8) & mask)
            target.storeBytes(
                of: UInt8(truncatingIfNeeded: ((sums & 0xffff) &+ (sums &>> 16) &+ 4) &>> 3), toByteOffset: index,
                as: UInt8.self)
        }
    }

    /// Writes the mean of each block of two columns in two lines.
    private static func averageTwoColumns(
        _ firstLine: UnsafeRawPointer, _ secondLine: UnsafeRawPointer, to target: UnsafeMutableRawPointer, count: Int
    ) {
        for index in 0..<count {
            let a = firstLine.loadUnaligned(fromByteOffset: index &* 2, as: UInt16.self),
                b = secondLine.loadUnaligned(fromByteOffset: index &* 2, as: UInt16.self)
            let sum = (a & 0xff) &+ (a &>> 8) &+ (b & 0xff) &+ (b &>> 8)
            target.storeBytes(of: UInt8(truncatingIfNeeded: (sum &+ 2) &>> 2), toByteOffset: index, as: UInt8.self)
        }
    }
}
