import Testing

@testable import PushPolicy

@Suite struct PushAlertTests {
    private func alert(_ json: String) throws -> PushAlert? {
        try PushPayload(json: Array("{\"aps\":{\"content-available\":1,\"alert\":\(json)}}".utf8)).alert
    }

    @Test func aTextIsTheBody() throws {
        #expect(try alert("\"New episode\"") == PushAlert(title: "", body: "New episode"))
    }

    @Test func anObjectHasTitleAndBody() throws {
        let alert = try alert(#"{"title":"Podcast","body":"New episode","action-loc-key":"PLAY"}"#)
        #expect(alert == PushAlert(title: "Podcast", body: "New episode"))
    }

    @Test(arguments: ["null", "{}", "\"\"", "\" \\n\"", "[\"a\"]", "7", "{\"title\":7}"])
    func withoutATextThereIsNoAlert(json: String) throws { #expect(try alert(json) == nil) }

    @Test func escapesAreDecoded() throws {
        #expect(try alert(#""\"A\"\/\u00e4 \ud83c\udfac\u0041 B\\""#)?.body == "\"A\"/ä 🎬A B\\")
    }

    @Test func loneSurrogatesAreReplaced() throws { #expect(try alert(#""a\ud83cb""#)?.body == "a\u{FFFD}b") }

    @Test func controlCharactersAreRemovedAndLineBreaksKept() throws {
        #expect(try alert(#"" a\nb\u001b[31mc\u0007\t ""#)?.body == "a\nb[31mc")
    }

    @Test func longTextsAreCut() {
        let alert = PushAlert(
            title: String(repeating: "é", count: 300), body: String(repeating: "🎬", count: 3000))
        #expect(alert?.title.count == PushAlert.titleLength && alert?.body.count == PushAlert.bodyLength)
    }
}
