import Foundation
import MediaTrial
import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

/// Tests of damaged files: the player either plays the readable part or reports an error. It does not hang, crash or
/// use unbounded memory. The damage is the same in each run; `scripts/fuzz` generates random damage.
@Suite struct DamagedFileTests {
    /// The names of the undamaged files whose copies are damaged.
    static let seedFileNames: [String] = {
        let folder = Fixtures.directory + "/seeds"
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { !$0.hasPrefix(".") }
            .sorted()
    }()

    /// Plays the bytes of a file. Checks that playback ends and bounds its memory, and that a file that cannot be
    /// played is refused with a reason.
    ///
    /// - Parameter fileDescription: The description of the file in failure messages.
    private func checkPlayback(_ bytes: [UInt8], _ fileDescription: String, throughPipe: Bool = false) throws {
        let outcome = try bytes.withUnsafeBytes { try MediaTrial().run($0, throughPipe: throughPipe) }
        #expect(outcome.hang == nil, "\(fileDescription): \(outcome)")
        #expect(
            outcome.info != nil || outcome.error?.message.isEmpty == false,
            "\(fileDescription) is refused without a reason")
        #expect(outcome.error?.message.contains("\n") != true)
        #expect(
            outcome.largestBlockBytes < 4 << 20, "\(fileDescription): a block of \(outcome.largestBlockBytes) bytes")
        #expect(outcome.peakFrameBytes < 256 << 20, "\(fileDescription): \(outcome.peakFrameBytes) bytes of frames")
    }

    @Test func moreThan25SeedFilesExist() { #expect(Self.seedFileNames.count > 25) }

    @Test(arguments: seedFileNames) func anUndamagedSeedFilePlays(_ name: String) throws {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Fixtures.directory + "/seeds/" + name)))
        let outcome = try bytes.withUnsafeBytes { try MediaTrial().run($0) }
        #expect(outcome.info != nil && outcome.error == nil && outcome.hang == nil, "\(outcome)")
        #expect(outcome.frameCount + outcome.blockCount > 3, "\(outcome)")
    }

    @Test(arguments: seedFileNames) func truncatedFileIsHandled(_ name: String) throws {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Fixtures.directory + "/seeds/" + name)))
        for cutIndex in 1...20 {
            try checkPlayback(
                Array(bytes[..<max(bytes.count * cutIndex / 21, 1)]), "\(name) cut at \(cutIndex)/21",
                throughPipe: cutIndex % 10 == 0)
        }
    }

    @Test(arguments: seedFileNames) func fileWithChangedOrErasedBytesIsHandled(_ name: String) throws {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Fixtures.directory + "/seeds/" + name)))
        var generator = SeededGenerator(seed: UInt64(name.utf8.reduce(0) { $0 &* 31 &+ Int($1) }.magnitude))
        for round in 0..<8 {
            var damagedBytes = bytes
            // Half of the rounds damage only the headers at the start of the file.
            let limit = round % 2 == 0 ? min(bytes.count, 512) : bytes.count
            for _ in 0...(round * 3) {
                damagedBytes[Int.random(in: 0..<limit, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            try checkPlayback(damagedBytes, "\(name) with bytes changed, round \(round)")
        }
        for quarter in 0..<4 {
            var damagedBytes = bytes
            let start = bytes.count * quarter / 4
            for index in start..<min(start + bytes.count / 8, bytes.count) { damagedBytes[index] = 0 }
            try checkPlayback(damagedBytes, "\(name) with zeros at \(quarter)/4")
        }
    }
}
