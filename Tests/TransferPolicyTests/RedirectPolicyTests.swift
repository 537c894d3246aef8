import Testing

@testable import TransferPolicy

@Suite struct RedirectPolicyTests {
    private let https = WebOrigin(scheme: "https", host: "a.example", port: 443)
    private let http = WebOrigin(scheme: "http", host: "a.example", port: 80)
    private let otherHost = WebOrigin(scheme: "https", host: "b.example", port: 443)

    /// Returns the policy before the first redirect of a request to `https://a.example/`.
    private func policy(method: String = "GET") -> RedirectPolicy {
        RedirectPolicy(address: "https://a.example/", origin: https, method: method)
    }

    /// Returns the kind of the fault of a refused redirect; nil if the redirect is followed.
    private func faultKind(_ decision: RedirectPolicy.Decision) -> ReplyFault.Kind? {
        if case .refuse(let fault) = decision { fault.kind } else { nil }
    }

    @Test(arguments: [301, 302, 303, 307, 308]) func redirectStatusesAreFollowed(_ status: Int) {
        #expect(RedirectPolicy.isRedirect(status: status))
        var policy = policy()
        #expect(policy.handle(status: status, address: "https://a.example/b", target: https) == .follow)
        #expect(policy.count == 1 && policy.method == "GET" && policy.sendsSecrets)
    }

    @Test(arguments: [200, 300, 304, 305, 306, 404]) func otherStatusesAreNoRedirects(_ status: Int) {
        #expect(!RedirectPolicy.isRedirect(status: status))
    }

    @Test func sixteenRedirectsAreFollowed() {
        var policy = policy()
        for number in 1...16 {
            #expect(policy.handle(status: 302, address: "https://a.example/\(number)", target: https) == .follow)
        }
        let decision = policy.handle(status: 302, address: "https://a.example/17", target: https)
        #expect(faultKind(decision) == .tooManyRedirects)
    }

    @Test func aLoopIsRefused() {
        var policy = policy()
        #expect(policy.handle(status: 302, address: "https://a.example/b", target: https) == .follow)
        let decision = policy.handle(status: 302, address: "https://a.example/", target: https)
        #expect(faultKind(decision) == .tooManyRedirects)
    }

    @Test func aRedirectToItselfIsRefused() {
        var policy = policy()
        #expect(
            faultKind(policy.handle(status: 302, address: "https://a.example/", target: https)) == .tooManyRedirects)
    }

    @Test func redirectsFromHTTPToHTTPSAreFollowed() {
        var policy = RedirectPolicy(address: "http://a.example/", origin: http)
        #expect(policy.handle(status: 301, address: "https://a.example/", target: https) == .follow)
    }

    @Test func redirectsFromHTTPSToHTTPAreRefused() {
        var policy = policy()
        #expect(faultKind(policy.handle(status: 301, address: "http://a.example/", target: http)) == .refusedRedirect)
    }

    @Test func aRedirectBackToHTTPIsRefused() {
        var policy = RedirectPolicy(address: "http://a.example/", origin: http)
        #expect(policy.handle(status: 301, address: "https://a.example/", target: https) == .follow)
        #expect(
            faultKind(policy.handle(status: 301, address: "http://a.example/b", target: http)) == .refusedRedirect)
    }

    @Test(arguments: ["file", "ftp", "data", "gopher", "javascript"])
    func redirectsToOtherSchemesAreRefused(_ scheme: String) {
        var policy = policy()
        let target = WebOrigin(scheme: scheme, host: "a.example", port: 0)
        #expect(faultKind(policy.handle(status: 302, address: "\(scheme)://x", target: target)) == .refusedRedirect)
    }

    @Test func aMalformedTargetIsABadResponse() {
        var policy = policy()
        #expect(faultKind(policy.handle(status: 302, address: nil, target: nil)) == .badResponse)
    }

    @Test func secretsAreNotSentToAnotherHost() {
        var policy = policy()
        #expect(policy.handle(status: 302, address: "https://b.example/", target: otherHost) == .follow)
        #expect(!policy.sendsSecrets)
    }

    @Test func secretsAreNotSentToAnotherPort() {
        var policy = policy()
        let target = WebOrigin(scheme: "https", host: "a.example", port: 8443)
        #expect(policy.handle(status: 302, address: "https://a.example:8443/", target: target) == .follow)
        #expect(!policy.sendsSecrets)
    }

    @Test func secretsAreNotSentAgainAfterReturning() {
        var policy = policy()
        _ = policy.handle(status: 302, address: "https://b.example/", target: otherHost)
        #expect(policy.handle(status: 302, address: "https://a.example/c", target: https) == .follow)
        #expect(!policy.sendsSecrets)
    }

    @Test func hostNamesAreComparedWithoutCase() {
        #expect(WebOrigin(scheme: "HTTPS", host: "A.Example", port: 443) == https)
    }

    @Test(arguments: [(301, "https://a.example/b"), (308, "https://a.example/b"), (302, nil), (303, nil), (307, nil)])
    func onlyPermanentRedirectsReplaceTheAddress(_ status: Int, _ address: String?) {
        var policy = policy()
        _ = policy.handle(status: status, address: "https://a.example/b", target: https)
        #expect(policy.permanentAddress == address)
    }

    @Test func aPermanentRedirectToAnotherHostDoesNotReplaceTheAddress() {
        var policy = policy()
        _ = policy.handle(status: 301, address: "https://b.example/", target: otherHost)
        #expect(policy.permanentAddress == nil)
    }

    @Test func aPermanentRedirectAfterATemporaryOneDoesNotReplaceTheAddress() {
        var policy = policy()
        _ = policy.handle(status: 301, address: "https://a.example/b", target: https)
        _ = policy.handle(status: 302, address: "https://a.example/c", target: https)
        _ = policy.handle(status: 301, address: "https://a.example/d", target: https)
        #expect(policy.permanentAddress == "https://a.example/b")
    }

    @Test(
        arguments: [
            (303, "PUT", "GET"), (303, "POST", "GET"), (301, "POST", "GET"), (302, "POST", "GET"), (301, "PUT", "PUT"),
            (307, "POST", "POST"), (308, "PUT", "PUT"), (303, "HEAD", "HEAD"),
        ])
    func methodsChangeAsInBrowsers(_ status: Int, _ method: String, _ expected: String) {
        var policy = policy(method: method)
        _ = policy.handle(status: status, address: "https://a.example/b", target: https)
        #expect(policy.method == expected)
    }

    @Test(arguments: ["Authorization", "cookie", "Proxy-Authorization", "PROXY-X"])
    func someFieldsAreAlwaysSecret(_ name: String) { #expect(RedirectPolicy.isAlwaysSecret(name)) }

    @Test(arguments: ["Accept", "Range", "If-Range", "X-Token"])
    func otherFieldsAreSecretOnlyIfMarked(_ name: String) { #expect(!RedirectPolicy.isAlwaysSecret(name)) }
}
