import Testing

@testable import HTTPTransfer

@Suite struct CertificateFaultTests {
    @Test(
        "each verification result has an error message",
        arguments: [
            (0, "another host name"), (62, "another host name"), (10, "expired"), (9, "not valid yet"), (23, "revoked"),
            (18, "self-signed"), (20, "issuer is unknown"), (66, "insecure"), (7, "signature is wrong"),
        ])
    func verificationResultHasAMessage(code: Int, expectedText: String) {
        #expect(CertificateFault.text(forVerificationResult: code).contains(expectedText))
    }
}
