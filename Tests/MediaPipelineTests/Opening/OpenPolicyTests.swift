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
        #expect(try OpenPolicy().locate(text) == .file(path: path))
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

    /// Returns whether the policy refuses that the location `parent`, such as a playlist, opens the location `child`.
    private func isRefused(
        _ child: OpenPolicy.Location, from parent: OpenPolicy.Location?, _ policy: OpenPolicy = OpenPolicy()
    ) -> Bool {
        do throws(MediaError) {
            try policy.check(child, from: parent)
            return false
        } catch { return error.code == .refusedByPolicy }
    }

    @Test func networkLocationMayNotOpenFiles() {
        let file = OpenPolicy.Location.file(path: "/etc/passwd"), network = OpenPolicy.Location.network(url: "http://a")
        #expect(isRefused(file, from: network) && isRefused(.standardInput, from: network))
        #expect(!isRefused(network, from: network) && !isRefused(network, from: file) && !isRefused(file, from: file))
        #expect(!isRefused(file, from: nil) && !isRefused(.standardInput, from: nil))
        #expect(isRefused(.standardInput, from: file), "a playlist may not read standard input")
        var policy = OpenPolicy()
        policy.networkMayOpenFiles = true
        #expect(!isRefused(file, from: network, policy) && isRefused(.standardInput, from: network, policy))
    }

    @Test(arguments: [
        "crypto+file:///etc/passwd", "crypto:/etc/passwd", "crypto:relative.ts", "crypto+concat://a",
        "crypto+crypto+http://a", "crypto+-",
        "crypto:crypto:/a", "crypto+pipe://0",
    ])
    func policyAppliesToAddressesOfEncryptedParts(_ text: String) {
        let network = OpenPolicy.Location.network(url: "http://a")
        do throws(MediaError) {
            Issue.record("\(text) is \(try OpenPolicy().locate(part: text, isEncrypted: true, from: network))")
        } catch { #expect(error.code == .refusedByPolicy) }
    }

    @Test func addressWithinACryptoAddressIsOpened() throws {
        let policy = OpenPolicy(), file = OpenPolicy.Location.file(path: "/list.m3u8"),
            network = OpenPolicy.Location.network(url: "http://a")
        #expect(
            try policy.locate(part: "crypto+http://b/c.ts", isEncrypted: true, from: network)
                == .network(url: "http://b/c.ts"))
        #expect(try policy.locate(part: "crypto:/c.ts", isEncrypted: true, from: file) == .file(path: "/c.ts"))
        // In a playlist without an encryption key, `crypto+http` is an unknown scheme.
        #expect(throws: MediaError.self) {
            try policy.locate(part: "crypto+http://b/c.ts", isEncrypted: false, from: network)
        }
    }

    @Test func filesCanBeForbidden() {
        var policy = OpenPolicy()
        policy.allowsFiles = false
        #expect(
            isRefused(.file(path: "a"), from: nil, policy) && !isRefused(.network(url: "http://a"), from: nil, policy))
    }
}
