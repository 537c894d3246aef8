import CFuzzer
import Glibc
import MediaTrial

/// Fuzzes the media pipeline, from the bytes of a file to decoded frames and audio, with libFuzzer. `scripts/fuzz` runs
/// this program.
@main
enum MediaFuzzer {
    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        let exitCode = LLVMFuzzerRunDriver(&count, &arguments) { data, size in
            MediaFuzzer.play(UnsafeRawBufferPointer(start: data, count: size))
            return 0
        }
        exit(exitCode)
    }

    /// Plays one input of the fuzzer as a media file, and crashes if the pipeline misbehaves.
    private static func play(_ bytes: UnsafeRawBufferPointer) {
        // An empty memory file cannot be mapped.
        guard !bytes.isEmpty else { return }
        let outcome: MediaTrial.Outcome
        do {
            // Inputs of every eighth size go through a pipe. The choice depends on the input only, so that failures are
            // reproducible.
            outcome = try MediaTrial().run(bytes, throughPipe: bytes.count % 8 == 7)
        } catch { fatalError("cannot run the trial: \(error)") }
        if let hang = outcome.hang { fatalError("the pipeline hangs \(hang)") }
        if outcome.largestBlockBytes > 64 << 20 { fatalError("an audio block has \(outcome.largestBlockBytes) bytes") }
        if outcome.info == nil, outcome.error?.message.isEmpty != false { fatalError("rejected without a message") }
        reportCoverage(of: outcome)
    }

    /// Reports containers, codecs, errors and magnitudes of counts as coverage, so that libFuzzer keeps inputs with new
    /// outcomes.
    private static func reportCoverage(of outcome: MediaTrial.Outcome) {
        var hasher = FNV1aHasher()
        hasher.add(outcome.info?.container ?? "")
        let containerHasher = hasher
        hasher.add(outcome.info?.video?.codec ?? "")
        hasher.add(outcome.info?.audio?.codec ?? "")
        swiftplay_fuzzer_mark(hasher.value)
        for (number, count) in [outcome.frameCount, outcome.blockCount, outcome.warnings.count].enumerated() {
            var countHasher = hasher
            countHasher.add("\(number) \(Int.bitWidth - count.leadingZeroBitCount)")
            swiftplay_fuzzer_mark(countHasher.value)
        }
        for error in outcome.warnings + [outcome.error].compactMap({ $0 }) {
            var messageHasher = containerHasher
            messageHasher.add(error.message)
            swiftplay_fuzzer_mark(messageHasher.value)
        }
    }
}

/// A hasher with the algorithm FNV-1a. Swift's `Hasher` has a different seed in each process.
private struct FNV1aHasher {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325
    mutating func add(_ text: String) {
        for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
        value = (value ^ 0xff) &* 0x100_0000_01b3
    }
}
