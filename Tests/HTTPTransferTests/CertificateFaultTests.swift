import Testing

@testable import HTTPTransfer

@Suite struct CertificateFaultTests {
    // The numbers are the verification results of OpenSSL (`X509_V_OK` and `X509_V_ERR_…`).
    @Test(
        "each verification result has an error message",
        arguments: [
            (0, "another host name"), (62, "another host name"), (10, "expired"), (9, "not valid yet"), (23, "revoked"),
            (18, "self-signed"), (20, "issuer is unknown"), (66, "insecure"), (7, "signature is wrong"),
        ])
    func verificationResultHasAMessage(verificationResult: Int, expectedText: String) {
        #expect(CertificateFault.text(forVerificationResult: verificationResult).contains(expectedText))
    }
}
