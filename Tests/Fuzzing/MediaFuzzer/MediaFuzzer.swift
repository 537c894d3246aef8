import CFuzzer
import Glibc
import MediaTrial

/// libFuzzer over the way from a file's bytes to its frames and sound: `scripts/fuzz`.
@main
enum MediaFuzzer {
    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        let code = LLVMFuzzerRunDriver(&count, &arguments) { data, size in
            MediaFuzzer.test(UnsafeRawBufferPointer(start: data, count: size))
            return 0
        }
        exit(code)
    }

    private static func test(_ bytes: UnsafeRawBufferPointer) {
        // A memory file of no bytes cannot be mapped, and says nothing but that it is empty.
        guard !bytes.isEmpty else { return }
        let outcome: MediaTrial.Outcome
        do {
            // One in eight, always the same ones, comes through a pipe.
            outcome = try MediaTrial().run(bytes, throughPipe: bytes.count % 8 == 7)
        } catch { fatalError("the trial could not be made: \(error)") }
        if let hang = outcome.hang { fatalError("hangs \(hang)") }
        if outcome.blockBytes > 64 << 20 { fatalError("a block of \(outcome.blockBytes) bytes") }
        if outcome.info == nil, outcome.error?.message.isEmpty != false { fatalError("refused without a reason") }
        mark(outcome)
    }

    /// What is new is worth keeping: other containers, codecs, errors, numbers of frames.
    private static func mark(_ outcome: MediaTrial.Outcome) {
        var hasher = FowlerNollVo()
        hasher.add(outcome.info?.container ?? "")
        let container = hasher
        hasher.add(outcome.info?.video?.codec ?? "")
        hasher.add(outcome.info?.audio?.codec ?? "")
        swiftplay_fuzzer_saw(hasher.value)
        for (number, count) in [outcome.frames, outcome.blocks, outcome.warnings.count].enumerated() {
            var counted = hasher
            counted.add("\(number) \(Int.bitWidth - count.leadingZeroBitCount)")
            swiftplay_fuzzer_saw(counted.value)
        }
        for error in outcome.warnings + [outcome.error].compactMap({ $0 }) {
            var told = container
            told.add(error.message)
            swiftplay_fuzzer_saw(told.value)
        }
    }
}

/// A hash that is the same in each process.
private struct FowlerNollVo {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325
    mutating func add(_ text: String) {
        for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
        value = (value ^ 0xff) &* 0x100_0000_01b3
    }
}
