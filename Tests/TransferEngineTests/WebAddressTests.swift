import Testing
import TransferPolicy

@testable import TransferEngine

@Suite struct WebAddressTests {
    @Test func theOriginHasThePortOfTheScheme() throws {
        let address = try #require(WebAddress("HTTPS://Example.org/a?b#c"))
        #expect(address.origin == WebOrigin(scheme: "https", host: "example.org", port: 443))
        #expect(WebAddress("http://example.org:8080")?.origin.port == 8080)
    }

    @Test func theFragmentIsRemoved() {
        #expect(WebAddress("https://example.org/a?b#c")?.text.hasSuffix("/a?b") == true)
    }

    @Test(
        arguments: [
            ("/x", "/x"), ("x", "/a/x"), ("../x", "/x"), ("?q", "/a/b?q"), ("//other.org/x", "/x"),
            ("https://other.org/x", "/x"), ("a b", "/a/a%20b"),
        ])
    func referencesAreResolved(_ reference: String, _ path: String) throws {
        let base = try #require(WebAddress("https://example.org/a/b"))
        let resolved = try #require(WebAddress(reference, relativeTo: base))
        #expect(resolved.text.hasSuffix(path), "\(resolved.text)")
        #expect(resolved.origin.host == (reference.contains("other") ? "other.org" : "example.org"))
    }

    @Test(arguments: ["", "nonsense", "http://", "https://[::1", "http://a:99999/", "https://a\u{1}b/"])
    func malformedAddressesAreRefused(_ text: String) { #expect(WebAddress(text) == nil) }

    @Test func otherSchemesKeepTheirScheme() {
        #expect(WebAddress("ftp://example.org/")?.origin.scheme == "ftp")
        #expect(WebAddress("file:///etc/passwd")?.origin.scheme == "file")
    }
}
