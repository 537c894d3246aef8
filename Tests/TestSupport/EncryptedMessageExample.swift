import Foundation

/// The example of RFC 8291, section 5 and appendix A: an encrypted message, and the keys of its receiver.
package struct EncryptedMessageExample: Sendable {
    package let privateKey: [UInt8], publicKey: [UInt8], authenticationSecret: [UInt8], body: [UInt8]
    package let text = "When I grow up, I want to be a watermelon"

    package init() throws(TestFailure) {
        privateKey = try Self.bytes("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94")
        publicKey = try Self.bytes(
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")
        authenticationSecret = try Self.bytes("BTBZMqHH6r4Tts7J_aSIgg")
        body = try Self.bytes(
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK"
                + "6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")
    }

    /// Decodes base64 with the letters for addresses and without padding (RFC 4648, section 5).
    private static func bytes(_ text: String) throws(TestFailure) -> [UInt8] {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: standard + padding) else { throw TestFailure("\(text) is not base64") }
        return Array(data)
    }
}
