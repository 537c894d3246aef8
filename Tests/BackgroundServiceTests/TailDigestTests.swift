import Glibc
import SystemCalls
import TestSupport
import Testing

@testable import BackgroundService

@Suite struct TailDigestTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Creates a file with bytes.
    private func file(_ bytes: [UInt8]) throws -> FileDescriptor {
        let file = try FileDescriptor(opening: directory.file("part"), flags: O_RDWR | O_CREAT | O_TRUNC, mode: 0o600)
        _ = bytes.withUnsafeBytes { pwrite(file.raw, $0.baseAddress, $0.count, 0) }
        return file
    }

    @Test func theDigestIsFNV1a() {
        #expect(TailDigest.digest([]) == 0xcbf2_9ce4_8422_2325)
        #expect(TailDigest.digest(Array("a".utf8)) == 0xaf63_dc4c_8601_ec8c)
    }

    @Test func aShortFileIsCoveredAsAWhole() throws {
        #expect(TailDigest.value(of: try file([1, 2, 3]), length: 3) == TailDigest.digest([1, 2, 3]))
    }

    @Test func onlyTheEndOfALongFileIsCovered() throws {
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let expected = TailDigest.digest(Array(bytes.suffix(65_536)))
        #expect(TailDigest.value(of: try file(bytes), length: 200_000) == expected)
    }

    @Test func bytesAfterTheLengthDoNotCount() throws {
        #expect(TailDigest.value(of: try file([1, 2, 3, 4]), length: 2) == TailDigest.digest([1, 2]))
    }

    @Test func aFileThatIsTooShortHasNoDigest() throws {
        #expect(TailDigest.value(of: try file([1]), length: 2) == nil)
    }
}
