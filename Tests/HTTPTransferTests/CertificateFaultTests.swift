import Testing

@testable import HTTPTransfer

@Suite struct CertificateFaultTests {
    @Test(
        "each verification result has a sentence",
        arguments: [
            (0, "another host name"), (62, "another host name"), (10, "expired"), (9, "not valid yet"), (23, "revoked"),
            (18, "self-signed"), (20, "issuer is unknown"), (66, "insecure"), (7, "signature is wrong"),
        ])
    func everyVerificationResultHasAMessage(code: Int, part: String) {
        #expect(CertificateFault.text(forVerificationResult: code).contains(part))
    }
}
