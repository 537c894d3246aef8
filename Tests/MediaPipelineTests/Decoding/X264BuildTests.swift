import Testing

@testable import MediaPipeline

@Suite struct X264BuildTests {
    private func number(in text: String) -> Int32? {
        Array(text.utf8).withUnsafeBufferPointer { X264Build.number(in: $0) }
    }

    @Test(
        arguments: [
            ("\u{6}\u{5}x264 - core 142 r50 dd79a61", 142), ("xx264 - core 34", 34), ("x264 - core 164", 164),
            ("x264 - core ", nil), ("x264 - core r50", nil), ("x264 - cor", nil), ("x265 (build 199)", nil), ("", nil),
            ("x264 - core 99999999999", nil), ("x264 - core 0", nil),
        ] as [(String, Int32?)])
    func buildNumberIsReadFromText(_ text: String, _ expected: Int32?) {
        #expect(number(in: text) == expected)
    }
}
