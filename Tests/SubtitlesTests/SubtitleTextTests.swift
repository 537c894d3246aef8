import Testing

@testable import Subtitles

@Suite struct SubtitleTextTests {
    /// Returns an ASS event as FFmpeg passes it: fields separated by commas, then the text.
    private func event(_ text: String, effect: String = "") -> String { "0,Default,,0,0,0,\(effect),\(text)" }

    @Test func tagsAndDrawingsAreRemovedFromAnEvent() {
        #expect(SubtitleText.plainText(event("Hello, world")) == "Hello, world")
        #expect(SubtitleText.plainText(event(#"{\an8\i1}up{\i0} there\Nsecond\hline"#)) == "up there\nsecond line")
        #expect(SubtitleText.plainText(event(#"{\p1}m 0 0 l 100 0{\p0}after"#)) == "after")
        #expect(SubtitleText.plainText(event(#"an open { brace and a \back"#)) == #"an open { brace and a \back"#)
        #expect(SubtitleText.plainText("too,few,fields") == "")
    }

    @Test func commasArePartOfTheText() {
        #expect(SubtitleText.plainText(event("one, two, three")) == "one, two, three")
        #expect(SubtitleText.plainText(event(",")) == ",")
    }

    @Test func bothLineBreakEscapesAreSupported() {
        #expect(SubtitleText.plainText(event(#"a\Nb\nc"#)) == "a\nb\nc")
    }

    @Test func aBackslashAtTheEndOfTheTextIsKept() {
        #expect(SubtitleText.plainText(event(#"end\"#)) == #"end\"#)
    }

    @Test func aClosingBraceAloneIsText() {
        #expect(SubtitleText.plainText(event("a } b")) == "a } b")
    }

    @Test func aBraceInsideATagIsPartOfTheTag() {
        #expect(SubtitleText.plainText(event("{a{b}c")) == "c")
    }

    @Test func anUnterminatedDrawingHidesTheRestOfTheText() {
        #expect(SubtitleText.plainText(event(#"before{\p4}m 0 0 l 5 5"#)) == "before")
    }

    @Test func otherTagsWithPStartNoDrawing() {
        #expect(SubtitleText.plainText(event(#"{\pos(1,2)}words"#)) == "words")
        #expect(SubtitleText.plainText(event(#"{\pbo10}words"#)) == "words")
        #expect(SubtitleText.plainText(event(#"{\p1\p0}words"#)) == "words")
    }

    @Test func anEventWithTooFewFieldsIsNotAnimated() {
        #expect(!SubtitleText.isAnimated(#"{\move(1,2,3,4)}"#))
    }

    @Test func karaokeTagsAreAnimatedAndStyleTagsAreNot() {
        #expect(!SubtitleText.isAnimated(event("plain")))
        #expect(SubtitleText.isAnimated(event(#"{\K50}sing"#)) && SubtitleText.isAnimated(event(#"{\kf50}sing"#)))
        #expect(!SubtitleText.isAnimated(event(#"{\b1\fs20}bold"#)))
    }

    @Test func movingFadingAndTransformedTextIsAnimated() {
        #expect(!SubtitleText.isAnimated(event(#"{\an8\pos(10,20)}still"#)))
        for tag in [#"{\move(1,2,3,4)}"#, #"{\fad(100,100)}"#, #"{\k20}"#, #"{\t(0,100,\fs30)}"#] {
            #expect(SubtitleText.isAnimated(event(tag + "x")))
        }
        #expect(SubtitleText.isAnimated(event("x", effect: "Banner;10")))
        #expect(!SubtitleText.isAnimated(event(#"\fad without a brace"#)))
    }

    @Test func taggedTextKeepsTagsAndCommas() {
        #expect(SubtitleText.taggedText(event(#"{\i1}one, two{\i0}\Nthree"#)) == #"{\i1}one, two{\i0}\Nthree"#)
        #expect(SubtitleText.taggedText("too,few,fields") == "")
    }

    @Test(
        "text at the upper edge shows the same letters, without formatting",
        arguments: ["Hello, world", "one\ntwo", "a } b", "3 < 4 & 5"])
    func textAtTheUpperEdgeHasTheSameLetters(_ text: String) {
        let original = event(#"{\b1}"# + text.replacing("\n", with: #"\N"#) + #"{\b0}"#)
        #expect(SubtitleText.plainText(SubtitleText.topAlignedPlainEvent(original)) == text)
    }

    @Test func bracesAndBackslashesAreNoTagsAtTheUpperEdge() {
        let atTop = SubtitleText.topAlignedPlainEvent(event(#"a { b \x c"#))
        #expect(atTop == "0,Default,,0,0,0,,{\\an8}a \\{ b \\\u{2060}x c")
        #expect(!SubtitleText.isAnimated(SubtitleText.topAlignedPlainEvent(event(#"{\k20}sing"#))))
    }

    @Test("many open braces are read in linear time", .timeLimit(.minutes(1)))
    func manyOpenBracesAreReadInLinearTime() {
        let braces = String(repeating: "{", count: 100_000)
        #expect(SubtitleText.plainText(event(braces)) == braces)
    }
}
