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

    @Test func commasBelongToTheText() {
        #expect(SubtitleText.plain(event("one, two, three")) == "one, two, three")
        #expect(SubtitleText.plain(event(",")) == ",")
    }

    @Test func bothLineBreaksAreLineBreaks() {
        #expect(SubtitleText.plain(event(#"a\Nb\nc"#)) == "a\nb\nc")
    }

    @Test func aBackslashAtTheEndStays() {
        #expect(SubtitleText.plain(event(#"end\"#)) == #"end\"#)
    }

    @Test func aClosingBraceAloneIsText() {
        #expect(SubtitleText.plain(event("a } b")) == "a } b")
    }

    @Test func aBraceInsideATagBelongsToTheTag() {
        #expect(SubtitleText.plain(event("{a{b}c")) == "c")
    }

    @Test func aDrawingThatDoesNotEndHidesTheRest() {
        #expect(SubtitleText.plain(event(#"before{\p4}m 0 0 l 5 5"#)) == "before")
    }

    @Test func tagsThatBeginWithPButAreNoDrawing() {
        #expect(SubtitleText.plain(event(#"{\pos(1,2)}words"#)) == "words")
        #expect(SubtitleText.plain(event(#"{\pbo10}words"#)) == "words")
        #expect(SubtitleText.plain(event(#"{\p1\p0}words"#)) == "words")
    }

    @Test func anEventOfTooFewFieldsDoesNotMove() {
        #expect(!SubtitleText.isAnimated(#"{\move(1,2,3,4)}"#))
    }

    @Test func onlyAnEffectOrATagMoves() {
        #expect(!SubtitleText.isAnimated(event("plain")))
        #expect(SubtitleText.isAnimated(event(#"{\K50}sing"#)) && SubtitleText.isAnimated(event(#"{\kf50}sing"#)))
        #expect(!SubtitleText.isAnimated(event(#"{\b1\fs20}bold"#)))
    }

    @Test func whatMovesIsKnown() {
        #expect(!SubtitleText.isAnimated(event(#"{\an8\pos(10,20)}still"#)))
        for tag in [#"{\move(1,2,3,4)}"#, #"{\fad(100,100)}"#, #"{\k20}"#, #"{\t(0,100,\fs30)}"#] {
            #expect(SubtitleText.isAnimated(event(tag + "x")))
        }
        #expect(SubtitleText.isAnimated(event("x", effect: "Banner;10")))
        #expect(!SubtitleText.isAnimated(event(#"\fad without a brace"#)))
    }
}
