import Testing

@testable import StreamPlaylists

@Suite struct EncryptionKeyTests {
    /// Parses the attributes of an `EXT-X-KEY` tag; returns nil if its method is `NONE`.
    private func key(_ text: String) throws -> EncryptionKey? {
        let line = PlaylistLines.Line(number: 5, text: Array("#EXT-X-KEY:\(text)".utf8)[...])
        var variables = PlaylistVariables(limits: .init())
        let attributes = try AttributeList(try #require(PlaylistTag(line)), &variables, limits: .init())
        return try EncryptionKey(attributes, in: try PlaylistBase("https://a.example/b.m3u8", limit: 1000))
    }

    @Test("A key of 16 bytes is supported")
    func keyOf16BytesIsSupported() throws {
        let key = try #require(try key("METHOD=AES-128,URI=\"k\",KEYFORMAT=\"identity\",KEYFORMATVERSIONS=\"1\""))
        #expect(key.method == .aes128)
        #expect(key.isSupported)
        #expect(key.address?.url == "https://a.example/k")
    }

    @Test("The default initialization vector is the media sequence number in big-endian order")
    func defaultInitializationVectorIsTheSequenceNumber() throws {
        let key = try #require(try key("METHOD=AES-128,URI=\"k\""))
        #expect(key.initializationVector(ofSegment: 0) == [UInt8](repeating: 0, count: 16))
        #expect(
            key.initializationVector(ofSegment: 0x0102_0304_0506_0708)
                == [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8])
        #expect(key.initializationVector(ofSegment: .min) == [UInt8](repeating: 0, count: 16))
    }

    @Test("An explicit initialization vector applies to all segments")
    func explicitInitializationVectorAppliesToAllSegments() throws {
        let key = try #require(try key("METHOD=AES-128,URI=\"k\",IV=0x1F"))
        #expect(key.initializationVector(ofSegment: 7) == [UInt8](repeating: 0, count: 15) + [0x1F])
    }

    @Test("The method NONE means that segments have no key")
    func methodNoneMeansNoKey() throws { #expect(try key("METHOD=NONE") == nil) }

    @Test(
        "Other methods and formats are not supported, and their addresses are not checked",
        arguments: [
            (
                "METHOD=SAMPLE-AES,URI=\"skd://x\",KEYFORMAT=\"com.apple.streamingkeydelivery\"",
                EncryptionKey.Method.sampleAES
            ),
            ("METHOD=SAMPLE-AES,URI=\"k\"", .sampleAES), ("METHOD=SAMPLE-AES-CTR", .other("SAMPLE-AES-CTR")),
            ("METHOD=AES-128,URI=\"x://y\",KEYFORMAT=\"z\"", .aes128),
        ])
    func otherMethodsAndFormatsAreNotSupported(_ text: String, _ method: EncryptionKey.Method) throws {
        let key = try #require(try key(text))
        #expect(key.method == method)
        #expect(!key.isSupported)
    }

    @Test(
        "A malformed key is an error",
        arguments: [
            ("URI=\"k\"", PlaylistError.Reason.missingAttribute(tag: "EXT-X-KEY", name: "METHOD")),
            ("METHOD=AES-128", .missingAttribute(tag: "EXT-X-KEY", name: "URI")),
            ("METHOD=AES-128,URI=\"k\",IV=12", .invalidValue(tag: "EXT-X-KEY", text: "12")),
            (
                "METHOD=AES-128,URI=\"k\",IV=0x\(String(repeating: "0", count: 33))",
                .invalidValue(tag: "EXT-X-KEY", text: "0x" + String(repeating: "0", count: 33))
            ),
            ("METHOD=AES-128,URI=\"file:///etc/shadow\"", .refusedScheme("file")),
        ])
    func malformedKeyIsAnError(_ text: String, _ reason: PlaylistError.Reason) {
        #expect(throws: PlaylistError(reason, line: 5)) { try key(text) }
    }

    @Test("The address of a key may be a data URL, which contains the key")
    func addressOfAKeyMayBeADataURL() throws {
        let key = try #require(try key("METHOD=AES-128,URI=\"data:;base64,AAAAAAAAAAAAAAAAAAAAAA==\""))
        #expect(key.address?.url == "data:;base64,AAAAAAAAAAAAAAAAAAAAAA==")
    }
}
