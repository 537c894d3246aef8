import Testing

@testable import SwiftPlayCLI

@Suite struct ArgumentBytesTests {
    @Test(arguments: [
        ("film.mp4", false, "film.mp4"), ("lat\u{E4}.mp4", false, "file:lat%E4.mp4"),
        ("--sub-file=lat\u{E4}.srt", false, "--sub-file=file:lat%E4.srt"),
        ("--title=lat\u{E4}=x", false, "--title=lat\u{FFFD}=x"), ("-lat\u{E4}", false, "-lat\u{FFFD}"),
        ("-lat\u{E4}", true, "file:-lat%E4"), ("-", false, "-"), ("--", false, "--"),
        ("file:///a%20b", false, "/a b"), ("--pause", false, "--pause"), ("--a=b=c", false, "--a=b=c"),
    ])
    func argumentsThatNameFilesBecomeLocations(_ argument: String, _ isAfterOptions: Bool, _ text: String) {
        let bytes = argument.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        #expect(ArgumentBytes.text(of: bytes, isAfterOptions: isAfterOptions) == text)
    }

    @Test func textInUTF8StaysTheSame() {
        #expect(ArgumentBytes.text(of: Array("--title=ä".utf8), isAfterOptions: false) == "--title=ä")
        #expect(ArgumentBytes.text(of: Array("ä.mp4".utf8), isAfterOptions: true) == "ä.mp4")
    }
}
