import HTTPTransfer
import MediaPipeline
import Testing

@testable import SwiftPlay

@Suite struct TLSVerificationTests {
    @Test(
        "Each verification setting converts to a trust setting of HTTP requests and back",
        arguments: [
            (TLSVerification.systemRoots, TLSTrust.systemRoots), (.none, .anything),
            (.authorities(file: "/a.pem"), .authorities(file: "/a.pem")),
        ])
    func eachVerificationSettingMapsToItsTrustPolicy(_ verification: TLSVerification, _ trust: TLSTrust) {
        #expect(verification.trust == trust && TLSVerification(trust) == verification)
    }

    @Test("A player accepts only servers that the system trusts, unless it is configured otherwise")
    func playerTrustsOnlySystemRootsByDefault() {
        var configuration = PlayerConfiguration()
        #expect(configuration.tlsVerification == .systemRoots && configuration.openPolicy.http.trust == .systemRoots)
        configuration.tlsVerification = .authorities(file: "/a.pem")
        #expect(configuration.openPolicy.http.trust == .authorities(file: "/a.pem"))
        #expect(configuration.tlsVerification == .authorities(file: "/a.pem"))
    }
}
