import Testing

@testable import StreamPlaylists

@Suite struct PlaylistAddressTests {
    /// A data URL, which contains its data in the address.
    private static let dataURL = "data:text/plain;base64,AAAA"

    /// Resolves the address `text` as it occurs in a playlist whose address is `base`.
    private func address(
        _ text: String, base: String = "https://a.example/b/c.m3u8", allowsData: Bool = false, limit: Int = 100
    ) throws(PlaylistError) -> PlaylistAddress {
        try PlaylistAddress(
            text.utf8, in: try PlaylistBase(base, limit: limit), allowsData: allowsData, line: 3)
    }

    /// Returns the reason for which an address in a playlist is refused; nil if the address is accepted.
    private func refusalReason(_ text: String, base: String = "https://a.example/b/c.m3u8") -> PlaylistError.Reason? {
        do throws(PlaylistError) {
            _ = try address(text, base: base)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test("A playlist from the network refers to http and https, whatever the case of the letters")
    func networkPlaylistMayReferToHTTPAndHTTPS() throws {
        #expect(try address("x.ts").url == "https://a.example/b/x.ts")
        #expect(try address("http://b.example/x.ts").url == "http://b.example/x.ts")
        #expect(try address("HTTPS://b.example/x.ts").url == "HTTPS://b.example/x.ts")
        #expect(try address("//b.example/x.ts").url == "https://b.example/x.ts")
    }

    @Test(
        "A playlist from the network may not refer to other schemes",
        arguments: [
            "file:///etc/passwd", "FILE:/etc/passwd", "ftp://b/x", "crypto+https://b/x", "concat:a", "pipe:0", "a:b",
            "javascript:0", dataURL,
        ])
    func networkPlaylistMayNotReferToOtherSchemes(_ text: String) {
        let scheme = String(text.prefix { $0 != ":" }).lowercased()
        #expect(refusalReason(text) == .refusedScheme(scheme))
    }

    @Test("A local playlist refers to local files, http and https")
    func localPlaylistMayReferToFilesHTTPAndHTTPS() throws {
        let base = "file:///films/one.m3u8"
        #expect(try address("two%20x.ts", base: base).url == "file:///films/two%20x.ts")
        #expect(try address("http://b.example/x.ts", base: base).url == "http://b.example/x.ts")
        #expect(refusalReason("ftp://b/x", base: base) == .refusedScheme("ftp"))
    }

    @Test("Only keys and initialization sections may be data: addresses")
    func onlyKeysAndInitializationSectionsMayBeDataURLs() throws {
        #expect(try address(Self.dataURL, allowsData: true).url == Self.dataURL)
        #expect(throws: PlaylistError(.refusedScheme("data"), line: 3)) { try address(Self.dataURL) }
    }

    @Test(
        "An empty address and an http address without a host are invalid",
        arguments: ["", "http:x", "https:///x", "//"])
    func addressWithoutAHostIsInvalid(_ text: String) { #expect(refusalReason(text) == .invalidAddress(text)) }

    @Test("A playlist without an absolute address is refused")
    func playlistWithoutAnAbsoluteAddressIsRefused() {
        #expect(throws: PlaylistError(.refusedScheme(""))) { try address("x.ts", base: "/films/one.m3u8") }
    }

    @Test("The length limit applies to the absolute address, not to the sum of its parts")
    func lengthLimitAppliesToTheAbsoluteAddress() throws {
        let base = "https://a.example/" + String(repeating: "b", count: 70) + ".m3u8"
        let name = String(repeating: "x", count: 80)
        #expect(try address(name, base: base).url == "https://a.example/" + name)
        let error = PlaylistError(.addressTooLong(limit: 100), line: 3)
        #expect(throws: error) { try address(name + "xyz", base: base) }
        #expect(throws: error) { try address(String(repeating: "x", count: 101), base: base) }
        #expect(throws: PlaylistError(.addressTooLong(limit: 100))) {
            try address("x", base: base + String(repeating: "y", count: 30))
        }
    }

    @Test("The length limit counts the scheme that a host inherits, and the file that a query inherits")
    func lengthLimitCountsInheritedParts() throws {
        let error = PlaylistError(.addressTooLong(limit: 100), line: 3)
        let host = "//b.example/" + String(repeating: "x", count: 82)
        #expect(try address(host).url == "https:" + host)
        #expect(throws: error) { try address(host + "x") }
        let base = "https://a.example/" + String(repeating: "b", count: 70), query = "?t=12:34:56."
        #expect(try address(query, base: base).url == base + query)
        #expect(throws: error) { try address(query + "7", base: base) }
    }

    @Test("Characters that an address must not contain are percent-encoded")
    func invalidCharactersArePercentEncoded() {
        let bytes: [UInt8] = Array("ä b%20\"<>\\^`{|}\u{1}\r\nc".utf8) + [0xFF]
        #expect(
            PlaylistAddress.percentEncoded(bytes) == "%C3%A4%20b%20%22%3C%3E%5C%5E%60%7B%7C%7D%01%0D%0Ac%FF")
        #expect(PlaylistAddress.percentEncoded("a-b_c.d~e!$&'()*+,;=:@/?#[]%".utf8) == "a-b_c.d~e!$&'()*+,;=:@/?#[]%")
    }
}
