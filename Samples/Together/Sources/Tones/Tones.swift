import Foundation

/// Generates short tunes as WAV files in the temporary folder.
public enum Tones {
    /// Writes a tune that sounds like a struck string.
    ///
    /// - Parameters:
    ///   - name: A part of the file's name.
    ///   - notes: The frequencies of the notes in hertz; 0 for a rest.
    ///   - length: The duration of each note in seconds.
    ///   - loudness: The peak amplitude: 0 to 1.
    /// - Returns: The path of the file.
    /// - Throws: The error of `Data.write(to:)` if the file cannot be written.
    public static func writeFile(_ name: String, notes: [Double], each length: Double, loudness: Double = 0.3) throws
        -> String
    {
        let sampleRate = 48_000.0, samplesPerNote = Int(length * sampleRate)
        let samples = notes.flatMap { note in
            (0..<samplesPerNote).map { i -> Int16 in
                let time = Double(i) / sampleRate
                let attack = min(time / 0.01, 1), release = min((length - time) / 0.02, 1)
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
        // The format chunk of 16 bytes: PCM, channels, sample rate, bytes per second, bytes per frame, bits per sample.
        append(UInt32(16))
        append(UInt16(1))
        append(UInt16(1))
        append(UInt32(sampleRate))
        append(UInt32(sampleRate) * 2)
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
