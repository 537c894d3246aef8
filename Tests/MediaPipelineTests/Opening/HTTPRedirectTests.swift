import Testing

@testable import MediaPipeline

@Suite struct HTTPRedirectTests {
    /// Returns the address to which an HTTP reply redirects; nil if it is no redirect.
    private func target(_ reply: String, from address: String = "http://a.example:8080/films/one.mp4?x=1") -> String? {
        HTTPRedirect.target(of: Array(reply.utf8), from: address)
    }

    @Test(arguments: [
        ("https://b.example/two.mp4", "https://b.example/two.mp4"), ("//b.example/two.mp4", "http://b.example/two.mp4"),
        ("/two.mp4", "http://a.example:8080/two.mp4"), ("two.mp4", "http://a.example:8080/films/two.mp4"),
    ])
    func aRedirectIsResolved(_ reference: String, _ address: String) {
        for status in [301, 302, 303, 307, 308] {
            #expect(target("HTTP/1.1 \(status) Moved\r\nServer: x\r\nlocation: \(reference)\r\n\r\n") == address)
        }
    }

    @Test(arguments: [
        "", "\r\n\r\n", "HTTP/1.1 200 OK\r\nLocation: /a\r\n\r\n", "HTTP/1.1 302 Found\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation:\r\n\r\n",
        "HTTP/1.1\r\nLocation: /a\r\n", "SSH-2.0 302 x\r\nLocation: /a\r\n",
    ])
    func otherResponsesAreNoRedirects(_ reply: String) { #expect(target(reply) == nil) }

    @Test func aReferenceResolvesAgainstAnAddressWithoutAPath() {
        #expect(HTTPRedirect.resolve("b.mp4", against: "https://a.example") == "https://a.example/b.mp4")
        #expect(HTTPRedirect.resolve("b.mp4", against: "nonsense") == nil)
    }
}
