import Testing
@testable import Subtitles

@Suite struct SubtitleTextTests {
    private func event(_ text: String, effect: String = "") -> String { "0,Default,,0,0,0,\(effect),\(text)" }

    @Test func wordsAreLeftOfAnEvent() {
        #expect(SubtitleText.plain(event("Hello, world")) == "Hello, world")
        #expect(SubtitleText.plain(event(#"{\an8\i1}up{\i0} there\Nsecond\hline"#)) == "up there\nsecond line")
        #expect(SubtitleText.plain(event(#"{\p1}m 0 0 l 100 0{\p0}after"#)) == "after")
        #expect(SubtitleText.plain(event(#"an open { brace and a \back"#)) == #"an open { brace and a \back"#)
        #expect(SubtitleText.plain("too,few,fields") == "")
    }

    @Test func whatMovesIsKnown() {
        #expect(!SubtitleText.isAnimated(event(#"{\an8\pos(10,20)}still"#)))
        for tag in [#"{\move(1,2,3,4)}"#, #"{\fad(100,100)}"#, #"{\k20}"#, #"{\t(0,100,\fs30)}"#] { #expect(SubtitleText.isAnimated(event(tag + "x"))) }
        #expect(SubtitleText.isAnimated(event("x", effect: "Banner;10")))
        #expect(!SubtitleText.isAnimated(event(#"\fad without a brace"#)))
    }
}
