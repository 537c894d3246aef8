import Testing

@testable import BackgroundService

@Suite struct TransferAddressTests {
    @Test(arguments: [
        ("https://Example.ORG/a", "example.org:443"), ("http://example.org", "example.org:80"),
        ("HTTPS://example.org:8443/a", "example.org:8443"), ("http://[::1]:81/", "[::1]:81"),
        ("http://[::1]/", "[::1]:80"), ("https://example.org:/a", "example.org:443"),
        ("https://example.org?q=/a@b", "example.org:443"),
    ]) func theHostHasAPort(_ address: String, _ host: String) { #expect(TransferAddress(address)?.host == host) }

    @Test(arguments: [
        "", "x", "http:", "http://", "https:///a", "ftp://example.org/", "file:///etc/passwd", "http://a b/",
        "http://a\nb/", "http://example.org:99999/", "http://example.org:0/", "http://example.org:x/", "http://:80/",
    ]) func otherTextsAreNoAddresses(_ address: String) { #expect(TransferAddress(address) == nil) }

    @Test func credentialsAreDecodedAndRemoved() {
        let address = TransferAddress("https://us%40er:p%3Aw@example.org/a?b")
        #expect(address?.credentials == Array("us@er:p:w".utf8))
        #expect(address?.text == "https://example.org/a?b")
    }

    @Test func anIncompletePercentStaysAsItIs() {
        #expect(TransferAddress("https://a%:b%4@example.org/")?.credentials == Array("a%:b%4".utf8))
    }

    @Test func thePathHasNeitherQueryNorFragment() {
        #expect(TransferAddress("https://example.org/a/film.mkv?token=1#part")?.path == "/a/film.mkv")
        #expect(TransferAddress("https://example.org")?.path == "")
    }

    @Test(arguments: [("", "Basic "), ("f", "Basic Zg=="), ("fo", "Basic Zm8="), ("foo", "Basic Zm9v")])
    func credentialsAreBase64(_ text: String, _ value: String) {
        #expect(BasicCredentials.fieldValue(Array(text.utf8)) == value)
    }

    @Test func credentialsAreThoseOfTheRFC() {
        #expect(
            BasicCredentials.fieldValue(Array("Aladdin:open sesame".utf8)) == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    }
}
