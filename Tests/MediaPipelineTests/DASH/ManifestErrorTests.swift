import Testing

@testable import MediaPipeline

@Suite struct ManifestErrorTests {
    @Test("the description begins with the line, if it is known")
    func descriptionBeginsWithTheLine() {
        #expect("\(ManifestError(.noMedia))" == "the manifest describes no video and no audio that can be played")
        #expect("\(ManifestError(.invalidIndex, line: 7))" == "line 7: the segment index is malformed")
    }

    @Test("texts of the manifest are shortened and contain no control characters")
    func textsOfTheManifestAreShortened() {
        let text = "a\n\u{1B}[31m\u{9B}" + String(repeating: "ä", count: 100)
        let description = ManifestError.Reason.invalidValue(element: "S", name: "t", text: text).description
        let excerpt = "a??[31m?" + String(repeating: "ä", count: 52) + "…"
        #expect(description == "t of the element S has the invalid value \"\(excerpt)\"")
        let whole = String(repeating: "x", count: 60)
        #expect(ManifestError.Reason.notAManifest(root: whole).description.hasSuffix(whole))
    }

    @Test(
        "the code of the error for the player depends on the reason",
        arguments: [
            (ManifestError.Reason.protected(systems: ["Widevine", "PlayReady"]), MediaError.Code.unsupportedFormat),
            (.noMedia, .notMedia), (.unsupported("xlink"), .unsupportedFormat),
            (.address(.refusedScheme("file")), .refusedByPolicy), (.address(.invalidAddress("x")), .corrupt),
            (.webPage, .corrupt), (.tooLarge(limit: 1), .corrupt), (.malformed("x"), .corrupt),
        ])
    func codeDependsOnTheReason(_ reason: ManifestError.Reason, _ code: MediaError.Code) {
        #expect(MediaError(ManifestError(reason, line: 3)).code == code)
    }

    @Test("the message about protected streams names the systems and no line")
    func messageAboutProtectedStreamsNamesTheSystems() {
        let error = MediaError(ManifestError(.protected(systems: ["Widevine", "PlayReady"]), line: 3))
        #expect(error.message == "the stream is protected by DRM (Widevine, PlayReady), which is not supported")
        #expect(MediaError(ManifestError(.webPage, line: 3)).message.contains("line 3: "))
    }
}
