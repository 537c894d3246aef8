import Testing

@testable import AudioOutput

@Suite struct SampleFormatTests {
    private let samples: [Float] = [0, 1, -1, 0.5, 7, -7, .nan]

    /// Returns the test samples, converted to the sample format of a device.
    private func converted<T>(_ format: SampleFormat, as type: T.Type, _ zero: T) -> [T] {
        var output = [T](repeating: zero, count: samples.count)
        samples.withUnsafeBufferPointer { source in
            output.withUnsafeMutableBytes { target in
                if let sourceBase = source.baseAddress, let targetBase = target.baseAddress {
                    format.convert(sourceBase, count: source.count, into: targetBase)
                }
            }
        }
        return output
    }

    @Test func samplesAreClippedAndRounded() {
        #expect(converted(.int16, as: Int16.self, 0) == [0, 32767, -32767, 16384, 32767, -32767, 0])
        #expect(
            converted(.int32, as: Int32.self, 0) == [0, Int32.max, -Int32.max, 1_073_741_824, Int32.max, -Int32.max, 0])
        #expect(converted(.float32, as: Float.self, 9) == [0, 1, -1, 0.5, 1, -1, 0])
    }
}
