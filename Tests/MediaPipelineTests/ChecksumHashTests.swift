import Testing

@testable import MediaPipeline

@Suite struct ChecksumHashTests {
    /// Returns the hash of the bytes of texts, passed one after another.
    private func hash(_ name: String, _ texts: String...) throws -> String {
        try #require(ChecksumHash(name)).hash { update in
            for text in texts { Array(text.utf8).withUnsafeBytes { update($0) } }
        }
    }

    /// The values are those of RFC 1321, FIPS 180-4 and the Adler-32 of RFC 1950.
    @Test(arguments: [
        ("MD5", "900150983cd24fb0d6963f7d28e17f72"), ("SHA160", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("adler32", "024d0127"),
    ])
    func hashesAreThoseOfTheirStandards(name: String, expected: String) throws {
        #expect(try hash(name, "abc") == expected)
        #expect(try hash(name, "a", "", "bc") == expected)
    }

    @Test func namesAreThoseOfFFmpegInAnyCase() {
        #expect(ChecksumHash.names.contains("murmur3") && ChecksumHash.names.contains("MD5"))
        #expect(ChecksumHash("Md5") == .md5 && ChecksumHash("MURMUR3")?.name == "murmur3")
        #expect(ChecksumHash("rot13") == nil && ChecksumHash("") == nil)
    }
}
