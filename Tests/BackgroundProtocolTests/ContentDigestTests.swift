import Testing

@testable import BackgroundProtocol

@Suite struct ContentDigestTests {
    private let bytes = (0..<32).map { UInt8($0 * 8) }

    @Test func aDigestIsReadFromHexadecimalDigits() {
        let text = "0008101820283038404850586068707880889098a0a8b0b8c0c8d0d8e0e8f0f8"
        #expect(ContentDigest(hexadecimal: text)?.bytes == bytes)
        #expect(ContentDigest(hexadecimal: text.uppercased())?.bytes == bytes)
        for wrong in ["", "00", text + "0", text + "00", "g" + text.dropFirst(), " " + text, "é" + text.dropFirst(2)] {
            #expect(ContentDigest(hexadecimal: wrong) == nil, "\(wrong)")
        }
    }

    @Test func otherSizesAreNoDigests() {
        #expect(ContentDigest(bytes) != nil)
        for wrong in [[], bytes + [0], Array(bytes.dropLast())] { #expect(ContentDigest(wrong) == nil) }
    }

    @Test func onlyDownloadsOfFilesHaveADigest() {
        var request = TaskRequest(
            uuid: [UInt8](repeating: 1, count: 16), request: TransferRequest(address: "https://example.org/"))
        request.digest = ContentDigest(bytes)
        #expect(request.fault == nil)
        request.upload = "/film"
        #expect(request.fault != nil)
        (request.upload, request.hasDirectory, request.stream) = (nil, true, StreamPreferences())
        #expect(request.fault != nil)
    }
}
