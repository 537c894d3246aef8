import SharedFrames

/// Brings a large picture near the size of a small place, before the scaler does the rest: a block of samples becomes
/// their mean.
///
/// A floating window shows a sixteenth of a 1080p picture. Reading the samples is then what costs, and this reads each
/// once, in order; of more than two lines that come together only the two in the middle, as a graphics card's bilinear
/// filter does. It does what nearly all files are made of, 4:2:0 of 8 bits. The result has full chroma lines (4:2:2),
/// because the planes shrink by themselves.
struct PictureReducer: Equatable {
    /// How many columns and how many lines become one.
    let columns: Int, lines: Int
    let source: PixelRect

    /// Nil where it is not worth while or not possible: what is cut must start and end with a block.
    init?(_ format: FrameFormat, source: PixelRect, target: PixelSize) {
        guard ["yuv420p", "yuvj420p"].contains(format.layout.pixelFormat.name), !target.isEmpty else { return nil }
        let columns = [4, 2].first { source.width >= $0 * target.width && source.width % ($0 * 2) == 0 }
        let lines = [16, 8, 4, 2].first { source.height >= $0 * target.height && source.height % $0 == 0 }
        guard let columns, let lines, source.x % 2 == 0, source.y % 2 == 0 else { return nil }
        (self.columns, self.lines, self.source) = (columns, lines, source)
    }

    /// Of the reduced picture.
    var size: PixelSize { PixelSize(width: source.width / columns, height: source.height / lines) }
    /// Bytes from a row to the next, of luma and of chroma; and of all three planes together.
    var strides: [Int] { [(size.width + 127) & ~63, (size.width / 2 + 127) & ~63, (size.width / 2 + 127) & ~63] }
    var byteCount: Int { strides.reduce(0, +) * size.height }

    /// Where each plane of a reduced picture that starts at `memory` begins.
    func planes(in memory: UnsafeMutableRawPointer) -> [UnsafeMutableRawPointer] {
        let strides = strides
        return [memory, memory + strides[0] * size.height, memory + (strides[0] + strides[1]) * size.height]
    }

    /// `memory` takes ``byteCount`` bytes.
    func reduce(_ picture: PictureMemory, into memory: UnsafeMutableRawPointer) {
        for (index, target) in planes(in: memory).enumerated() {
            let stride = picture.layout.planes[index].stride, shift = index == 0 ? 0 : 1
            let start = picture.plane(index) + (source.y >> shift) * stride + (source.x >> shift)
            // Chroma has half the lines.
            reduce(start, stride, lines: lines >> shift, into: target, strides[index], width: size.width >> shift)
        }
    }

    private func reduce(
        _ start: UnsafeRawPointer, _ stride: Int, lines: Int, into target: UnsafeMutableRawPointer, _ targetStride: Int,
        width: Int
    ) {
        for row in 0..<size.height {
            let first = start + (row * lines + (lines - 1) / 2) * stride, second = lines > 1 ? first + stride : first
            let out = target + row * targetStride
            if columns == 4 {
                Self.quarter(first, second, to: out, count: width)
            } else {
                Self.halve(first, second, to: out, count: width)
            }
        }
    }

    // Both work on whole blocks as integers, which the compiler turns into vectors of them.

    /// The mean of four samples of two lines each.
    private static func quarter(
        _ first: UnsafeRawPointer, _ second: UnsafeRawPointer, to target: UnsafeMutableRawPointer, count: Int
    ) {
        let mask: UInt32 = 0x00ff_00ff
        for index in 0..<count {
            let a = first.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self),
                b = second.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self)
            let pairs = (a & mask) &+ ((a &>> 8) & mask) &+ (b & mask) &+ ((b &>> 8) & mask)
            target.storeBytes(
                of: UInt8(truncatingIfNeeded: ((pairs & 0xffff) &+ (pairs &>> 16) &+ 4) &>> 3), toByteOffset: index,
                as: UInt8.self)
        }
    }

    /// The mean of two samples of two lines each.
    private static func halve(
        _ first: UnsafeRawPointer, _ second: UnsafeRawPointer, to target: UnsafeMutableRawPointer, count: Int
    ) {
        for index in 0..<count {
            let a = first.loadUnaligned(fromByteOffset: index &* 2, as: UInt16.self),
                b = second.loadUnaligned(fromByteOffset: index &* 2, as: UInt16.self)
            let sum = (a & 0xff) &+ (a &>> 8) &+ (b & 0xff) &+ (b &>> 8)
            target.storeBytes(of: UInt8(truncatingIfNeeded: (sum &+ 2) &>> 2), toByteOffset: index, as: UInt8.self)
        }
    }
}
