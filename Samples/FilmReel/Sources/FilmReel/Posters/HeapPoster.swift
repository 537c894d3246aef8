/// A poster in heap memory.
final class HeapPoster: Poster {
    private let pixels: [UInt8]

    init(_ pixels: [UInt8]) { self.pixels = pixels }

    func withBytes(ofRows rows: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        pixels.withUnsafeBytes(body)
        return true
    }
}
