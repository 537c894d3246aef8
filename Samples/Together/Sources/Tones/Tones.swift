import Foundation

/// Sounds that need no files: each is written as WAV into the temporary folder.
public enum Tones {
    /// Notes in hertz (0: a rest), each so many seconds long, as a struck string sounds.
    public static func file(_ name: String, notes: [Double], each length: Double, loudness: Double = 0.3) throws
        -> String
    {
        let rate = 48_000.0, count = Int(length * rate)
        let samples = notes.flatMap { note in
            (0..<count).map { i -> Int16 in
                let time = Double(i) / rate, attack = min(time / 0.01, 1), release = min((length - time) / 0.02, 1)
                return Int16(
                    32_767 * loudness * attack * release * exp(-2 * time / length) * sin(2 * .pi * note * time))
            }
        }
        var data = Data("RIFF".utf8)
        func append(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
        }
        append(UInt32(36 + samples.count * 2))
        data.append(Data("WAVEfmt ".utf8))
        // 16 bytes of format: PCM, one channel, rate, bytes a second, bytes a frame, bits.
        append(UInt32(16))
        append(UInt16(1))
        append(UInt16(1))
        append(UInt32(rate))
        append(UInt32(rate) * 2)
        append(UInt16(2))
        append(UInt16(16))
        data.append(Data("data".utf8))
        append(UInt32(samples.count * 2))
        for sample in samples { append(sample) }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            "together-\(name)-\(ProcessInfo.processInfo.processIdentifier).wav")
        try data.write(to: file)
        return file.path
    }
}
