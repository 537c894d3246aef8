import Testing

@testable import HTTPTransfer

@Suite struct HTTPErrorTests {
    @Test(
        "the message of an error status contains its meaning, if it is a common one",
        arguments: [
            (404, "the server responded with status 404 (not found)"),
            (503, "the server responded with status 503 (server busy)"),
            (418, "the server responded with status 418"),
        ])
    func statusMessageContainsTheMeaning(status: Int, message: String) {
        let error = HTTPError.status(status, "http://a/")
        #expect(error.message == message && error.code == .status(status) && error.address == "http://a/")
    }

    @Test func theDescriptionCountsAttemptsFromTheSecondOn() {
        var error = HTTPError(.timeout, "http://a/", "a does not respond")
        #expect("\(error)" == "a does not respond")
        error.attempt = 2
        #expect("\(error)" == "a does not respond (attempt 2)")
    }

    @Test(
        "a busy server and a server that broke the connection may succeed later",
        arguments: [408, 425, 429, 500, 502, 503, 504])
    func busyStatusesAreTemporary(status: Int) {
        let error = HTTPError.status(status, "a")
        #expect(error.isTemporary && error.isTemporaryWhenResuming)
    }

    @Test(arguments: [400, 401, 403, 404, 410, 416, 451, 501, 505, 300])
    func otherStatusesArePermanent(status: Int) {
        let error = HTTPError.status(status, "a")
        #expect(!error.isTemporary && !error.isTemporaryWhenResuming)
    }

    @Test("a failure of the network is temporary only when resuming")
    func networkFailuresAreTemporaryWhenResuming() {
        let codes: [HTTPError.Code] = [.unknownHost, .unreachable, .timeout, .protocolViolation]
        for error in codes.map({ HTTPError($0, "a", "") }) {
            #expect(!error.isTemporary && error.isTemporaryWhenResuming, "\(error.code)")
        }
        let permanentCodes: [HTTPError.Code] = [
            .cancelled, .invalidAddress, .refusedRedirect, .untrusted, .notResumable, .tooLarge, .outOfResources,
        ]
        for error in permanentCodes.map({ HTTPError($0, "a", "") }) {
            #expect(!error.isTemporary && !error.isTemporaryWhenResuming, "\(error.code)")
        }
    }

    @Test(
        "the host name of an address excludes user, port, path and query",
        arguments: [
            ("http://example.com/a/b?c", "example.com"), ("https://user:word@example.com:8443/", "example.com"),
            ("http://[2001:db8::1]:80/x", "[2001:db8::1]"), ("http://127.0.0.1:1", "127.0.0.1"),
            ("no address", "no address"), ("", ""),
        ])
    func hostNameIsFoundInTheAddress(address: String, host: String) { #expect(URLHost.name(of: address) == host) }
}
