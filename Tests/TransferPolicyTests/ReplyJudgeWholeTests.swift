import Testing

@testable import TransferPolicy

/// Tests the judgement of whole contents (status 200) and of confirmations.
@Suite struct ReplyJudgeWholeTests {
    @Test func theFirstReplyIsTheWholeContent() {
        var judge = ReplyJudge()
        let reply = ReplyFixture.head(
            200, ["Content-Length": "1000", "ETag": "\"a\"", "Accept-Ranges": "bytes"])
        let plan = judge.judge(reply).plan
        #expect(plan?.use == .whole && plan?.total == 1000 && plan?.isResumable == true && plan?.offset == 0)
    }

    @Test func anotherTagMeansThatTheContentHasChanged() {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        let plan = judge.judge(ReplyFixture.head(200, ["Content-Length": "1000", "ETag": "\"b\""])).plan
        #expect(plan?.use == .changedContent && plan?.emptiesPart == true)
    }

    @Test func anotherDateMeansThatTheContentHasChanged() {
        var judge = ReplyJudge(held: ReplyFixture.dated)
        let reply = ReplyFixture.head(200, ["Content-Length": "1000", "Last-Modified": ReplyFixture.recentDate])
        #expect(judge.judge(reply).plan?.use == .changedContent)
    }

    @Test func anotherLengthMeansThatTheContentHasChanged() {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        let plan = judge.judge(ReplyFixture.head(200, ["Content-Length": "999", "ETag": "\"a\""])).plan
        #expect(plan?.use == .changedContent)
    }

    @Test func aReplyWithoutItsTagMeansThatTheContentHasChanged() {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        #expect(judge.judge(ReplyFixture.head(200, ["Content-Length": "1000"])).plan?.use == .changedContent)
    }

    @Test func theSameTagAndLengthAsksOnceMoreWithoutIfRange() {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        let reply = ReplyFixture.head(200, ["Content-Length": "1000", "ETag": "\"a\""])
        #expect(judge.judge(reply) == .askAgain)
        #expect(judge.request == .rest(offset: 400, ifRange: nil))
        #expect(judge.quirks == .ignoresMatchingIfRange)
        #expect(judge.judge(ReplyFixture.validPart).plan?.use == .rest)
    }

    @Test func theSameDateAndLengthAsksOnceMoreWithoutIfRange() {
        var judge = ReplyJudge(held: ReplyFixture.dated)
        let reply = ReplyFixture.head(200, ["Content-Length": "1000", "Last-Modified": ReplyFixture.oldDate])
        #expect(judge.judge(reply) == .askAgain)
        #expect(judge.request == .rest(offset: 400, ifRange: nil))
    }

    @Test func aSecondWholeReplyMeansThatTheHostHasNoRanges() {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        let reply = ReplyFixture.head(200, ["Content-Length": "1000", "ETag": "\"a\""])
        #expect(judge.judge(reply) == .askAgain)
        let plan = judge.judge(reply).plan
        #expect(plan?.use == .restart && plan?.isResumable == false)
        #expect(judge.quirks.contains(.hasNoRanges))
    }

    @Test func aWholeReplyToAComparisonMeansThatTheHostHasNoRanges() {
        var judge = ReplyJudge(held: ReplyFixture.weak)
        let plan = judge.judge(ReplyFixture.head(200, ["Content-Length": "1000", "ETag": "W/\"a\""])).plan
        #expect(plan?.use == .restart && plan?.isResumable == false)
    }

    @Test func anotherWeakTagInAWholeReplyMeansThatTheContentHasChanged() {
        var judge = ReplyJudge(held: ReplyFixture.weak)
        let plan = judge.judge(ReplyFixture.head(200, ["Content-Length": "1000", "ETag": "W/\"b\""])).plan
        #expect(plan?.use == .changedContent && plan?.isResumable == true)
    }

    @Test func contentThatCannotBeContinuedRestarts() {
        var judge = ReplyJudge(held: HeldContent(length: 400))
        #expect(judge.judge(ReplyFixture.head(200, ["Content-Length": "1000"])).plan?.use == .restart)
    }

    @Test(
        arguments: [
            ["Content-Length": "10", "Accept-Ranges": "none"], ["Content-Length": "10", "Content-Encoding": "gzip"],
            [:], ["Transfer-Encoding": "chunked"], ["ETag": "\"a\""],
        ] as [KeyValuePairs<String, String>])
    func contentIsNotResumable(_ fields: KeyValuePairs<String, String>) {
        var judge = ReplyJudge()
        #expect(judge.judge(ReplyFixture.head(200, fields)).plan?.isResumable == false)
    }

    @Test(
        arguments: [
            ["Content-Length": "10"], ["Transfer-Encoding": "chunked", "ETag": "\"a\""],
            ["Content-Length": "10", "ETag": "W/\"a\""],
        ] as [KeyValuePairs<String, String>])
    func contentIsResumable(_ fields: KeyValuePairs<String, String>) {
        var judge = ReplyJudge()
        #expect(judge.judge(ReplyFixture.head(200, fields)).plan?.isResumable == true)
    }

    @Test(arguments: ["text/html", "text/html; charset=utf-8", "TEXT/HTML", "application/xhtml+xml"])
    func aPageInThePlaceOfMediaIsAPortal(_ type: String) {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        let reply = ReplyFixture.head(200, ["Content-Length": "1000", "Content-Type": type])
        #expect(judge.judge(reply).fault?.kind == .portal)
    }

    @Test func aPageThatWasAPageBeforeIsContent() {
        var held = ReplyFixture.tagged
        held.mediaType = "text/html"
        var judge = ReplyJudge(held: held)
        #expect(judge.judge(ReplyFixture.head(200, ["Content-Type": "text/html"])).plan?.use == .changedContent)
    }

    @Test func contentBeyondTheLimitIsRefused() {
        var judge = ReplyJudge(contentLimit: 999)
        #expect(judge.judge(ReplyFixture.head(200, ["Content-Length": "1000"])).fault?.kind == .tooLarge)
        judge = ReplyJudge(contentLimit: 1000)
        #expect(judge.judge(ReplyFixture.head(200, ["Content-Length": "1000"])).plan != nil)
    }

    @Test func aPartOfContentBeyondTheLimitIsRefused() {
        var judge = ReplyJudge(held: ReplyFixture.tagged, contentLimit: 999)
        #expect(judge.judge(ReplyFixture.validPart).fault?.kind == .tooLarge)
    }

    /// A part file that holds the whole content.
    private var completeContent: HeldContent {
        var held = ReplyFixture.tagged
        held.length = 1000
        return held
    }

    @Test func aConfirmedPartIsComplete() {
        var judge = ReplyJudge(held: completeContent)
        #expect(judge.request.isHead)
        #expect(judge.judge(ReplyFixture.head(304)) == .complete)
    }

    @Test func aConfirmationWithTheSameTagIsComplete() {
        var judge = ReplyJudge(held: completeContent)
        #expect(judge.judge(ReplyFixture.head(200, ["Content-Length": "1000", "ETag": "\"a\""])) == .complete)
    }

    @Test(
        arguments: [
            ["ETag": "\"b\"", "Content-Length": "1000"], ["ETag": "\"a\"", "Content-Length": "999"], [:],
        ] as [KeyValuePairs<String, String>])
    func aConfirmationWithOtherContentAsksForIt(_ fields: KeyValuePairs<String, String>) {
        var judge = ReplyJudge(held: completeContent)
        #expect(judge.judge(ReplyFixture.head(200, fields)) == .askAgain)
        #expect(judge.request == .whole)
        #expect(judge.judge(ReplyFixture.head(200, ["ETag": "\"b\""])).plan?.use == .changedContent)
    }

    @Test(arguments: [400, 403, 404, 405, 501]) func aRefusedConfirmationComparesTheEnd(_ status: Int) {
        var judge = ReplyJudge(held: completeContent)
        #expect(judge.judge(ReplyFixture.head(status)) == .askAgain)
        #expect(judge.request == .overlap(offset: 0, length: 1000))
        let plan = judge.judge(ReplyFixture.head(206, ["Content-Range": "bytes 0-999/1000"])).plan
        #expect(plan?.overlap == 1000 && plan?.offset == 1000 && plan?.bodyLength == 1000)
    }
}
