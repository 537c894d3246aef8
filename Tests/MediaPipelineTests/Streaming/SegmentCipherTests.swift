import CFFmpeg
import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct SegmentCipherTests {
    private static let key = (0..<16).map { UInt8($0 * 7) }, vector = (0..<16).map { UInt8(255 - $0) }

    /// Encrypts bytes with PKCS #7 padding.
    private func encrypted(_ plainText: [UInt8]) throws -> [UInt8] {
        let padding = 16 - plainText.count % 16
        var bytes = plainText + [UInt8](repeating: UInt8(padding), count: padding), vector = Self.vector
        let cipher = try #require(av_aes_alloc())
        defer { av_free(UnsafeMutableRawPointer(cipher)) }
        av_aes_init(cipher, Self.key, 128, 0)
        bytes.withUnsafeMutableBufferPointer {
            av_aes_crypt(cipher, $0.baseAddress, $0.baseAddress, Int32($0.count / 16), &vector, 0)
        }
        return bytes
    }

    @Test("a segment is decrypted in pieces of any size", arguments: [0, 1, 15, 16, 17, 100_000])
    func segmentIsDecryptedInPieces(size: Int) throws {
        var random = SeededGenerator.printingSeed()
        let plainText = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
        let cipher = try SegmentCipher(key: Self.key, vector: Self.vector)
        var remainingBytes = try encrypted(plainText)[...], decryptedBytes: [UInt8] = []
        while !remainingBytes.isEmpty {
            let piece = remainingBytes.prefix(Int.random(in: 1...5_000, using: &random))
            decryptedBytes += cipher.decrypt(Array(piece))
            remainingBytes = remainingBytes.dropFirst(piece.count)
        }
        #expect(decryptedBytes + cipher.finish() == plainText)
    }

    @Test(arguments: [15, 17, 0]) func aKeyOfAnotherSizeIsRefused(size: Int) {
        #expect(throws: MediaError.self) {
            try SegmentCipher(key: [UInt8](repeating: 0, count: size), vector: Self.vector)
        }
    }

    @Test(
        "data URLs contain their bytes",
        arguments: [
            ("data:;base64,AAECAwQ=", [0, 1, 2, 3, 4]), ("data:text/plain,a%20b%FF", [97, 32, 98, 255]),
            ("data:application/octet-stream;base64,", []), ("data:", nil), ("data:;base64,%%%", nil),
        ] as [(String, [UInt8]?)])
    func dataURLContainsItsBytes(address: String, bytes: [UInt8]?) {
        #expect(DataURL.bytes(of: address) == bytes)
    }
}
