import SharedFrames
import Testing

@testable import VideoOutput

@Suite struct KittyImageEncoderTests {
    @Test func aSmallImageIsOneChunk() {
        let pixels: [UInt32] = [0x4d616e, 0xff4d_616e]
        let text = pixels.withUnsafeBufferPointer { buffer -> String in
            guard let base = buffer.baseAddress else { return "" }
            return String(
                decoding: KittyImageEncoder.encode(base, size: PixelSize(width: 2, height: 1), columns: 5, rows: 1),
                as: UTF8.self)
        }
        #expect(text == "\u{1b}_Ga=T,f=24,i=1,p=1,q=2,C=1,s=2,v=1,c=5,r=1,m=0;TWFuTWFu\u{1b}\\")
    }

    @Test func chunksHaveAtMost4096Characters() {
        let pixels = [UInt32](repeating: 0, count: 2500)
        let text = pixels.withUnsafeBufferPointer { buffer -> String in
            guard let base = buffer.baseAddress else { return "" }
            return String(
                decoding: KittyImageEncoder.encode(base, size: PixelSize(width: 50, height: 50), columns: 5, rows: 5),
                as: UTF8.self)
        }
        let chunks = text.split(separator: "\u{1b}\\")
        #expect(chunks.count == 3)
        #expect(chunks.map { $0.split(separator: ";")[1].count } == [4096, 4096, 1808])
        #expect(chunks[1].hasPrefix("\u{1b}_Gm=1;") && chunks[2].hasPrefix("\u{1b}_Gm=0;"))
    }

    @Test func sizeOfTheTransmittedImageIsBounded() {
        for (width, height) in [(10, 20), (1920, 1080), (10_000, 20), (100_000, 100_000)] {
            let size = KittyImageEncoder.transmittedSize(for: PixelSize(width: width, height: height))
            #expect(size.width * size.height <= KittyImageEncoder.maximumPixelCount && !size.isEmpty)
        }
    }
}
