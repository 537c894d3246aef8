import Testing

@testable import MediaPipeline

@Suite struct TLSTrustTests {
    @Test("A file of authorities is used as it is named, even if it does not exist")
    func certificateAuthorityFileIsUsedAsNamed() {
        #expect(TLSTrust.authorities(file: "/missing.pem").file == "/missing.pem")
    }

    @Test("No store is needed to accept every certificate")
    func acceptingEveryCertificateNeedsNoStore() {
        #expect(TLSTrust.anything.file == nil)
    }
}
