import CFFmpeg
import Testing

@testable import MediaPipeline

@Suite struct DecryptingInputTests {
    // The example of NIST SP 800-38A, F.2.1 (AES-128 in CBC mode), in hexadecimal notation.
    private static let key = "2b7e151628aed2a6abf7158809cf4f3c"
    private static let initializationVector = "000102030405060708090a0b0c0d0e0f"
    private static let plainBlocks = [
        "6bc1bee22e409f96e93d7e117393172a", "ae2d8a571e03ac9c9eb76fac45af8e51", "30c81c46a35ce411e5fbc1191a0a52ef",
        "f69f2445df4f9b17ad2b417be66c3710",
    ]
    private static let cipherBlocks = [
        "7649abac8119b246cee98e9b12e9197d", "5086cb9b507219ee95db113a917678b2", "73bed6b8e3c1743b7116e69e22229516",
        "3ff1caa1681fac09120eca307586e1a7",
    ]

    /// Returns the bytes of AES blocks that are given in hexadecimal notation.
    private static func bytes(_ blocks: [String]) -> [UInt8] {
        blocks.flatMap { DecryptingInput.bytes(hexadecimal: $0) ?? [] }
    }

    /// Encrypts a segment as a server does, with PKCS #7 padding.
    private static func encrypt(_ plainText: [UInt8]) throws -> [UInt8] {
        let padding = 16 - plainText.count % 16
        var bytes = plainText + [UInt8](repeating: UInt8(padding), count: padding)
        let state = try #require(av_aes_alloc())
        defer { av_free(UnsafeMutableRawPointer(state)) }
        av_aes_init(state, self.bytes([key]), 128, 0)
        var chainingVector = self.bytes([initializationVector])
        bytes.withUnsafeMutableBufferPointer {
            av_aes_crypt(state, $0.baseAddress, $0.baseAddress, Int32($0.count / 16), &chainingVector, 0)
        }
        return bytes
    }

    /// Decrypts a segment.
    ///
    /// - Parameters:
    ///   - readSize: The number of bytes that each read requests.
    ///   - range: The byte range of the segment in the whole file; nil if `bytes` contains only the segment.
    ///   - isWhole: Whether `bytes` is the whole file that contains the range.
    private func decrypt(
        _ bytes: [UInt8], readSize: Int = 1000, range: Range<Int64>? = nil, isWhole: Bool = false
    ) throws -> [UInt8] {
        let source = try MemoryInput(bytes)
        let encryptedContext = try #require(source.context)
        let input = try DecryptingInput(
            encryptedContext, key: Self.key, vector: Self.initializationVector, range: range, isWhole: isWhole)
        let context = try #require(input.context)
        var decryptedBytes: [UInt8] = [], buffer = [UInt8](repeating: 0, count: readSize)
        while true {
            let count = avio_read(context, &buffer, Int32(readSize))
            guard count > 0 else { break }
            decryptedBytes += buffer[..<Int(count)]
        }
        withExtendedLifetime((source, input)) {}
        return decryptedBytes
    }

    @Test func exampleOfNISTIsDecrypted() throws {
        // The last byte of the example's plain text is hexadecimal 10, which also means a padding of 16 bytes. The last
        // block is therefore removed.
        #expect(try decrypt(Self.bytes(Self.cipherBlocks)) == Self.bytes(Array(Self.plainBlocks.prefix(3))))
    }

    @Test(arguments: [0, 1, 15, 16, 17, 1000, 65_535, 65_536, 65_537, 200_000]) func segmentsOfEveryLengthAreDecrypted(
        _ count: Int
    )
        throws
    {
        let plainText = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        #expect(try decrypt(try Self.encrypt(plainText)) == plainText)
    }

    @Test(arguments: [1, 7, 16, 5000]) func readSizeDoesNotChangeTheResult(_ readSize: Int) throws {
        let plainText = (0..<3000).map { UInt8(truncatingIfNeeded: $0) }
        #expect(try decrypt(try Self.encrypt(plainText), readSize: readSize) == plainText)
    }

    @Test func anIncompleteLastBlockIsDropped() throws {
        let plainText = [UInt8](repeating: 7, count: 20)
        let encryptedBytes = try Self.encrypt(plainText)
        #expect(try decrypt(encryptedBytes + [1, 2, 3]) == plainText)
    }

    @Test func aByteRangeOfAFileIsDecryptedSeparately() throws {
        let plainText = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let segment = try Self.encrypt(plainText), precedingBytes = [UInt8](repeating: 1, count: 123)
        let range = 123..<Int64(123 + segment.count)
        let file = precedingBytes + segment + [UInt8](repeating: 2, count: 64)
        #expect(try decrypt(file, range: range, isWhole: true) == plainText)
    }

    @Test func bytesAfterTheRangeAreNotRead() throws {
        let plainText = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let segment = try Self.encrypt(plainText)
        #expect(
            try decrypt(segment + [UInt8](repeating: 2, count: 64), range: 700..<Int64(700 + segment.count))
                == plainText)
    }

    @Test func completeBlocksOfATruncatedRangeAreDecrypted() throws {
        let plainText = [UInt8](repeating: 9, count: 100)
        let segment = try Self.encrypt(plainText)
        let decryptedBytes = try decrypt(Array(segment.prefix(70)), range: 0..<Int64(segment.count))
        #expect(plainText.starts(with: decryptedBytes) && decryptedBytes.count >= 48)
    }

    @Test(arguments: [
        "", "00", "2b7e151628aed2a6abf7158809cf4f3", "2b7e151628aed2a6abf7158809cf4f3c0",
        "2b7e151628aed2a6abf7158809cf4fxx",
        "2b7e151628aed2a6abf7158809cf4f3cxx",
    ])
    func anInvalidKeyOrVectorIsRefused(_ key: String) throws {
        let source = try MemoryInput([0]), context = try #require(source.context)
        #expect(throws: MediaError.self) {
            _ = try DecryptingInput(context, key: key, vector: Self.initializationVector)
        }
        #expect(throws: MediaError.self) { _ = try DecryptingInput(context, key: Self.key, vector: key) }
    }

    @Test func upperCaseDigitsAreAccepted() {
        #expect(DecryptingInput.bytes(hexadecimal: "FF00AB0000000000000000000000000F")?.prefix(3) == [255, 0, 171])
    }
}

@Suite struct FrameChecksumTests {
    /// Returns the MD5 checksum of the given texts, joined.
    private func md5(_ pieces: String...) -> String {
        ChecksumHash.md5.hash { update in for piece in pieces { Array(piece.utf8).withUnsafeBytes { update($0) } } }
    }

    // The test suite of RFC 1321 (MD5), appendix A.5.
    @Test(arguments: [
        ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    ])
    func examplesOfRFC1321Match(_ text: String, _ digest: String) {
        #expect(md5(text) == digest)
    }

    @Test func digestDoesNotDependOnTheSizesOfThePieces() {
        #expect(md5("message", " ", "digest") == "f96b697d7cb7938d525a2f31aaf161d0")
    }
}
