import Testing

@testable import TransferPolicy

/// Tests the judgement of partial content (status 206) and of refused ranges (status 416).
@Suite struct ReplyJudgePartTests {
    @Test func theRestOfTheContentIsAppended() throws {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        let plan = try #require(judge.judge(ReplyFixture.validPart).plan)
        #expect(plan.use == .rest && plan.offset == 400 && plan.overlap == 0)
        #expect(plan.bodyLength == 600 && plan.total == 1000 && plan.isResumable)
        #expect(plan.validators.entityTag == "\"a\"")
    }

    @Test func aPartWithoutValidatorsIsAppendedAfterIfRange() {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        let plan = judge.judge(ReplyFixture.head(206, ["Content-Range": "bytes 400-999/1000"])).plan
        #expect(plan?.use == .rest)
        #expect(plan?.validators == ReplyFixture.tagged.validators, "the validators of the part file are kept")
    }

    @Test func anUnknownTotalIsAcceptedWithAnEqualStrongTag() {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        let plan = judge.judge(ReplyFixture.head(206, ["Content-Range": "bytes 400-999/*", "ETag": "\"a\""])).plan
        #expect(plan?.use == .rest && plan?.total == 1000)
    }

    @Test func aPartThatStatesAnUnknownTotalForTheFirstTimeIsAccepted() {
        var held = ReplyFixture.tagged
        held.total = nil
        var judge = ReplyJudge(held: held)
        #expect(judge.judge(ReplyFixture.validPart).plan?.total == 1000)
    }

    @Test(
        arguments: [
            "bytes 401-999/1000", "bytes 399-999/1000", "bytes 0-999/1000", "bytes 400-999/1001",
            "bytes 400-998/1000", "bytes 400-999/999", "items 400-999/1000", "bytes 400-999", "bytes */1000",
            "bytes 400-999/*", "bytes 999-400/1000", "bytes 400-99999999999999999999/1000", "",
        ])
    func aPartWithAnotherRangeIsDiscarded(_ range: String) {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        #expect(judge.judge(ReplyFixture.head(206, ["Content-Range": range])) == .askAgain)
        #expect(judge.request == .rest(offset: 400, ifRange: "\"a\""), "the part is requested a second time")
    }

    @Test func aPartWithoutContentRangeIsDiscarded() {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        #expect(judge.judge(ReplyFixture.head(206, ["Content-Length": "600"])) == .askAgain)
    }

    @Test func twoDifferentRangesInOneReplyAreDiscarded() {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        let reply = ReplyFixture.head(
            206, ["Content-Range": "bytes 400-999/1000", "content-range": "bytes 0-999/1000"])
        #expect(judge.judge(reply) == .askAgain)
    }

    @Test func multipartBodiesAreDiscarded() {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        let reply = ReplyFixture.head(
            206,
            ["Content-Range": "bytes 400-999/1000", "Content-Type": "multipart/byteranges; boundary=x"])
        #expect(judge.judge(reply) == .askAgain)
    }

    @Test func encodedPartsAreDiscarded() {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        let reply = ReplyFixture.head(206, ["Content-Range": "bytes 400-999/1000", "Content-Encoding": "gzip"])
        #expect(judge.judge(reply) == .askAgain)
    }

    @Test func theIdentityEncodingIsAccepted() {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        let reply = ReplyFixture.head(206, ["Content-Range": "bytes 400-999/1000", "Content-Encoding": "identity"])
        #expect(judge.judge(reply).plan?.use == .rest)
    }

    @Test func aPartWithAnotherTagIsDiscarded() {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        let reply = ReplyFixture.head(206, ["Content-Range": "bytes 400-999/1000", "ETag": "\"b\""])
        #expect(judge.judge(reply) == .askAgain)
    }

    @Test func aLengthThatContradictsTheRangeIsDiscarded() {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        let reply = ReplyFixture.head(206, ["Content-Range": "bytes 400-999/1000", "Content-Length": "601"])
        #expect(judge.judge(reply) == .askAgain)
    }

    @Test func afterTwoWrongPartsTheWholeContentIsRequested() {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        let wrongPart = ReplyFixture.head(206, ["Content-Range": "bytes 401-999/1000"])
        #expect(judge.judge(wrongPart) == .askAgain)
        #expect(judge.judge(wrongPart) == .askAgain)
        #expect(judge.request == .whole)
        #expect(judge.quirks == .sendsWrongRanges)
        let plan = judge.judge(ReplyFixture.head(200, ["Content-Length": "1000", "ETag": "\"a\""])).plan
        #expect(plan?.use == .restart && plan?.isResumable == false)
    }

    @Test func anUnaskedPartIsABadResponse() {
        var judge = ReplyJudge()
        #expect(judge.judge(ReplyFixture.head(206, ["Content-Range": "bytes 0-9/10"])).fault?.kind == .badResponse)
    }

    @Test func aWeakTagComparesTheOverlap() {
        var judge = ReplyJudge(held: ReplyFixture.weak)
        let plan = judge.judge(ReplyFixture.head(206, ["Content-Range": "bytes 0-999/1000", "ETag": "W/\"a\""])).plan
        #expect(plan?.use == .rest && plan?.overlap == 400 && plan?.offset == 400 && plan?.bodyLength == 1000)
    }

    @Test func aDifferentOverlapRestartsWithTheNewContent() {
        var judge = ReplyJudge(held: ReplyFixture.weak)
        _ = judge.judge(ReplyFixture.head(206, ["Content-Range": "bytes 0-999/1000"]))
        #expect(judge.handleDifferentOverlap() == .askAgain)
        #expect(judge.request == .whole)
        let plan = judge.judge(ReplyFixture.head(200, ["Content-Length": "1000", "ETag": "W/\"a\""])).plan
        #expect(plan?.use == .changedContent)
    }

    @Test func withoutIfRangeAPartNeedsTheEqualTag() {
        var judge = ReplyJudge(held: ReplyFixture.tagged, quirks: .ignoresMatchingIfRange)
        #expect(judge.judge(ReplyFixture.head(206, ["Content-Range": "bytes 400-999/1000"])) == .askAgain)
        #expect(judge.judge(ReplyFixture.validPart).plan?.use == .rest)
    }

    @Test func aRefusedRangeOfACompletePartIsConfirmed() {
        var held = ReplyFixture.tagged
        held.total = nil
        held.length = 1000
        var judge = ReplyJudge(held: held)
        #expect(judge.judge(ReplyFixture.head(416, ["Content-Range": "bytes */1000"])) == .askAgain)
        #expect(judge.request == .confirmation(held.validators))
        #expect(judge.judge(ReplyFixture.head(304)) == .complete)
    }

    @Test func aCompletePartWithoutValidatorsNeedsNoConfirmation() {
        var judge = ReplyJudge(held: HeldContent(length: 400, total: 1000))
        #expect(judge.judge(ReplyFixture.head(416, ["Content-Range": "bytes */400"])) == .complete)
    }

    @Test(arguments: ["bytes */399", "bytes */*", "bytes */2000", "nonsense", ""])
    func aRefusedRangeOfAnotherLengthRestarts(_ range: String) {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        #expect(judge.judge(ReplyFixture.head(416, ["Content-Range": range])) == .askAgain)
        #expect(judge.request == .whole)
    }

    @Test func aSecondRefusedRangeIsABadResponse() {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        #expect(judge.judge(ReplyFixture.head(416)) == .askAgain)
        #expect(judge.judge(ReplyFixture.head(416)).fault?.kind == .badResponse)
    }

    @Test func aPageInsteadOfTheRestIsAPortal() {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        let reply = ReplyFixture.head(
            206, ["Content-Range": "bytes 400-999/1000", "Content-Type": "text/html; charset=utf-8"])
        #expect(judge.judge(reply).fault?.kind == .portal)
    }

    @Test(
        arguments: [
            "bytes 0-9223372036854775807/*", "bytes 0-9223372036854775806/*",
            "bytes 0-9223372036854775806/9223372036854775807", "bytes 9223372036854775807-9223372036854775807/*",
        ])
    func rangesAtTheLimitOf64BitsDoNotOverflow(_ range: String) {
        for held in [ReplyFixture.tagged, ReplyFixture.dated, ReplyFixture.weak, HeldContent(length: 400, total: 400)] {
            var judge = ReplyJudge(held: held)
            let verdict = judge.judge(ReplyFixture.head(206, ["Content-Range": range, "ETag": "\"a\""]))
            #expect(verdict == .askAgain)
        }
    }
}
