import SwiftPlayKit
import Testing

@testable import SwiftPlayCLI

@Suite struct NetworkOptionsTests {
    @Test func certificatesAreVerifiedUnlessDisabled() throws {
        #expect(try NetworkOptions.parse([]).tlsVerification == .systemRoots)
        #expect(try NetworkOptions.parse(["--tls-verify=no"]).tlsVerification == .none)
        #expect(try NetworkOptions.parse(["--tls-ca-file=/ca.pem"]).tlsVerification == .authorities(file: "/ca.pem"))
        #expect(try NetworkOptions.parse(["--tls-verify=no", "--tls-ca-file=/ca.pem"]).tlsVerification == .none)
    }

    @Test(arguments: ["true", "NO", "1"]) func valuesOtherThanYesAndNoAreRefused(_ word: String) throws {
        let options = try NetworkOptions.parse(["--tls-verify=\(word)"])
        #expect(throws: (any Error).self) { try options.validateAll() }
    }
}
