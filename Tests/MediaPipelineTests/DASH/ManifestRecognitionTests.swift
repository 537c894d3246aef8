import Testing

@testable import MediaPipeline

@Suite struct ManifestRecognitionTests {
    @Test(
        "a manifest is recognised by its type or its name",
        arguments: [
            ("application/dash+xml; charset=utf-8", "http://a/x", true), ("text/xml", "http://a/x.MPD?y=1", true),
            ("text/xml", "http://a/x?y=.mpd", false), (nil, "http://a/x.mp4", false),
        ])
    func manifestIsRecognisedByTypeOrName(type: String?, address: String, expected: Bool) {
        #expect(ManifestRecognition.isManifest(type: type, address: address) == expected)
    }

    @Test(
        "a manifest is recognised by its root element",
        arguments: [
            ("<?xml version='1.0'?>\n<!-- x --><MPD\nxmlns='y'>", true), ("\u{FEFF} <p:MPD>", true), ("<MPDX>", false),
            ("<svg>MPD</svg>", false), ("MPD", false), ("", false),
        ])
    func manifestIsRecognisedByRootElement(text: String, expected: Bool) {
        let bytes = Array(text.utf8)
        #expect((ManifestRecognition.mayBeXML(bytes) && ManifestRecognition.isManifest(bytes)) == expected)
    }

    @Test func datesOfHeaderFieldsAreParsed() {
        #expect(HTTPDate.nanoseconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777_000_000_000)
        for text in [
            "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
        ] {
            #expect(HTTPDate.nanoseconds(text) == nil)
        }
    }
}
