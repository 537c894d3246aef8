import SystemCalls
import Testing

@testable import MediaPipeline

@Suite struct OpenPolicyTests {
    @Test(arguments: [
        ("film.mp4", "film.mp4"), ("/a/b", "/a/b"), ("Film: the sequel.mp4", "Film: the sequel.mp4"),
        ("c:/film", "c:/film"), ("", ""),
        ("file:///a%20b", "/a b"), ("file:/a", "/a"), ("FILE:///a", "/a"), ("a/b://c", "a/b://c"),
        ("file:///100%", "/100%"),
        ("file:///a%+5b", "/a%+5b"), ("file:///a%-0b%2", "/a%-0b%2"), ("file:///%C3%a4", "/ä"),
        ("1a://x", "1a://x"),
    ])
    func pathsAndFileURLsAreFiles(_ text: String, _ path: String) throws {
        #expect(try OpenPolicy().locate(text) == .file(path: #require(FilePath(path))))
    }

    @Test func pathInAFileURLMayBeNoUTF8() throws {
        let path = try #require(FilePath(bytes: [0x2F, 0xE4, 0x2E, 0x74, 0x73]))
        #expect(try OpenPolicy().locate("file:///%E4.ts") == .file(path: path))
    }

    @Test(arguments: ["file:///a%00.mp4", "a\0b"]) func pathsWithAZeroByteAreRefused(_ text: String) {
        #expect(throws: MediaError(.notFound, "a path cannot contain a zero byte")) { try OpenPolicy().locate(text) }
    }

    @Test func addressesAndStandardInputAreRecognised() throws {
        #expect(try OpenPolicy().locate("-") == .standardInput)
        for url in ["http://a/b", "https://a", "HTTPS://a"] {
            #expect(try OpenPolicy().locate(url) == .network(url: url))
        }
    }

    @Test(arguments: ["concat://a", "pipe://0", "ftp://a", "gopher://a", "data://x", "subfile+x://y"])
    func otherSchemesAreRefused(_ text: String) {
        do throws(MediaError) {
            _ = try OpenPolicy().locate(text)
            Issue.record("\(text) was accepted")
        } catch { #expect(error.code == .refusedByPolicy) }
    }

    /// Returns whether the policy forbids the location `parent`, such as a playlist, to open the location `child`.
    private func isRefused(
        _ child: OpenPolicy.Location, from parent: OpenPolicy.Location?, _ policy: OpenPolicy = OpenPolicy()
    ) -> Bool {
        do throws(MediaError) {
            try policy.check(child, from: parent)
            return false
        } catch { return error.code == .refusedByPolicy }
    }

    @Test func networkLocationMayNotOpenFiles() {
        let fileLocation = OpenPolicy.Location.file(path: "/etc/passwd"),
            networkLocation = OpenPolicy.Location.network(url: "http://a")
        #expect(isRefused(fileLocation, from: networkLocation) && isRefused(.standardInput, from: networkLocation))
        #expect(
            !isRefused(networkLocation, from: networkLocation) && !isRefused(networkLocation, from: fileLocation)
                && !isRefused(fileLocation, from: fileLocation))
        #expect(!isRefused(fileLocation, from: nil) && !isRefused(.standardInput, from: nil))
        #expect(isRefused(.standardInput, from: fileLocation), "a playlist may not read standard input")
        var policy = OpenPolicy()
        policy.networkMayOpenFiles = true
        #expect(
            !isRefused(fileLocation, from: networkLocation, policy)
                && isRefused(.standardInput, from: networkLocation, policy))
    }

    @Test(arguments: [
        "crypto+file:///etc/passwd", "crypto:/etc/passwd", "crypto:relative.ts", "crypto+concat://a",
        "crypto+crypto+http://a", "crypto+-",
        "crypto:crypto:/a", "crypto+pipe://0",
    ])
    func policyAppliesToAddressesOfEncryptedParts(_ text: String) {
        let networkLocation = OpenPolicy.Location.network(url: "http://a")
        do throws(MediaError) {
            Issue.record("\(text) is \(try OpenPolicy().locate(part: text, isEncrypted: true, from: networkLocation))")
        } catch { #expect(error.code == .refusedByPolicy) }
    }

    @Test func addressWithinACryptoAddressIsOpened() throws {
        let policy = OpenPolicy(), fileLocation = OpenPolicy.Location.file(path: "/list.m3u8"),
            networkLocation = OpenPolicy.Location.network(url: "http://a")
        #expect(
            try policy.locate(part: "crypto+http://b/c.ts", isEncrypted: true, from: networkLocation)
                == .network(url: "http://b/c.ts"))
        #expect(try policy.locate(part: "crypto:/c.ts", isEncrypted: true, from: fileLocation) == .file(path: "/c.ts"))
        // In a playlist without an encryption key, `crypto+http` is an unknown scheme.
        #expect(throws: MediaError.self) {
            try policy.locate(part: "crypto+http://b/c.ts", isEncrypted: false, from: networkLocation)
        }
    }

    @Test func filesCanBeForbidden() {
        var policy = OpenPolicy()
        policy.allowsFiles = false
        #expect(
            isRefused(.file(path: "a"), from: nil, policy) && !isRefused(.network(url: "http://a"), from: nil, policy))
    }

    @Test(arguments: [
        ("http://a", true), ("HTTPS://a", true), ("ftp://a", true), ("file:///a", false), ("FILE:a", false),
        ("-", false), ("a/b", false), ("c:/a", false), ("Film: the sequel.mp4", false), ("", false),
    ])
    func addressesWithOtherSchemesThanFileAreOnTheNetwork(_ location: String, _ isAddress: Bool) {
        #expect(OpenPolicy.isNetworkAddress(location) == isAddress)
    }

    @Test func theMessageOfARefusedSchemeListsThePermittedSchemes() {
        #expect(throws: MediaError(.refusedByPolicy, "ftp: addresses are not supported (supported: http, https)")) {
            try OpenPolicy().locate("ftp://a/b")
        }
        var policy = OpenPolicy()
        policy.networkSchemes = ["ftp"]
        #expect(throws: Never.self) { try policy.locate("FTP://a/b") }
    }
}
