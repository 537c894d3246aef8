import Testing

@testable import TransferPolicy

/// Tests the judgement of other statuses.
@Suite struct ReplyJudgeStatusTests {
    @Test func aFailedPreconditionMeansThatTheContentHasChanged() {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        #expect(judge.judge(ReplyFixture.head(412)) == .askAgain)
        #expect(judge.request == .whole)
        #expect(judge.judge(ReplyFixture.head(200, ["ETag": "\"b\""])).plan?.use == .changedContent)
    }

    @Test(arguments: [401, 407]) func missingCredentialsEndTheTransfer(_ status: Int) {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        let fault = judge.judge(ReplyFixture.head(status)).fault
        #expect(fault?.kind == .credentials && fault?.status == status)
    }

    @Test(arguments: [403, 410]) func aRefusalByTheTargetOfARedirectAsksTheOriginalOnce(_ status: Int) {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        let request = judge.request
        #expect(judge.judge(ReplyFixture.head(status, isRedirected: true)) == .askAgain)
        #expect(judge.request == request)
        #expect(judge.judge(ReplyFixture.head(status, isRedirected: true)).plan?.use == .errorPage)
    }

    @Test(arguments: [403, 410]) func aRefusalWithoutARedirectIsAnErrorPage(_ status: Int) {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        #expect(judge.judge(ReplyFixture.head(status)).plan?.use == .errorPage)
    }

    @Test(arguments: [400, 402, 404, 405, 409, 418, 451, 501, 505]) func otherErrorsFinishWithTheirPage(_ status: Int) {
        var judge = ReplyJudge()
        let plan = judge.judge(ReplyFixture.head(status, ["Content-Length": "12"])).plan
        #expect(plan?.use == .errorPageInPart && plan?.bodyLength == 12 && plan?.isResumable == false)
    }

    @Test func anErrorPageNeverReplacesContent() {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        let plan = judge.judge(ReplyFixture.head(404)).plan
        #expect(plan?.use == .errorPage && plan?.emptiesPart == false)
    }

    @Test(arguments: [408, 425, 429, 500, 502, 503, 504]) func busyServersAreRetried(_ status: Int) {
        var judge = ReplyJudge(held: ReplyFixture.tagged)
        let fault = judge.judge(ReplyFixture.head(status, ["Retry-After": "17"])).fault
        #expect(fault?.kind == .busy && fault?.retryAfter == 17 && fault?.status == status)
        #expect(fault?.closesHost == (status == 429 || status == 503))
    }

    @Test func aBusyServerNeedsNoRetryAfter() {
        var judge = ReplyJudge()
        #expect(judge.judge(ReplyFixture.head(503)).fault?.retryAfter == nil)
    }

    @Test func aRetryDateIsComparedWithTheServersClock() {
        var judge = ReplyJudge()
        let reply = ReplyFixture.head(
            503, ["Retry-After": ReplyFixture.date, "Date": ReplyFixture.recentDate])
        #expect(judge.judge(reply, now: 0).fault?.retryAfter == 10)
    }

    @Test(arguments: [204, 205, 304, 300, 302, 305, 399, 600, 999]) func unaskedStatusesAreBadResponses(_ status: Int) {
        var judge = ReplyJudge()
        #expect(judge.judge(ReplyFixture.head(status)).fault?.kind == .badResponse)
    }

    @Test func aNetworkLoginIsAPortal() {
        var judge = ReplyJudge()
        #expect(judge.judge(ReplyFixture.head(511)).fault?.kind == .portal)
    }

    @Test(arguments: [200, 201, 202, 203, 204]) func anUploadFinishesWithAnySuccess(_ status: Int) {
        var judge = ReplyJudge(isGetRequest: false)
        #expect(judge.judge(ReplyFixture.head(status)).plan?.use == .whole)
    }

    @Test(arguments: [206, 304, 600, 999]) func anUploadRefusesUnaskedStatuses(_ status: Int) {
        var judge = ReplyJudge(isGetRequest: false)
        #expect(judge.judge(ReplyFixture.head(status)).fault?.kind == .badResponse)
    }

    @Test func anUploadFinishesWithAnErrorPage() {
        var judge = ReplyJudge(isGetRequest: false)
        #expect(judge.judge(ReplyFixture.head(413)).plan?.use == .errorPageInPart)
    }

    @Test func anUploadNeverAsksForAPart() {
        #expect(ReplyJudge(held: ReplyFixture.tagged, isGetRequest: false).request == .whole)
    }

    @Test func anUploadReplacesTheResponseOfAnInterruptedAttempt() {
        var judge = ReplyJudge(held: ReplyFixture.tagged, isGetRequest: false)
        let plan = judge.judge(ReplyFixture.head(200, ["Content-Length": "1000"])).plan
        #expect(plan?.use == .restart && plan?.emptiesPart == true)
    }

    @Test("a body that begins at the start of the part file never follows other bytes")
    func eachWholeBodyEmptiesThePartFile() {
        let uses: [BodyPlan.Use] = [.whole, .rest, .changedContent, .restart, .errorPageInPart, .errorPage]
        #expect(uses.map { BodyPlan(use: $0).emptiesPart } == [true, false, true, true, true, false])
    }

    /// The replies from which the exploration below composes every sequence.
    private static let replies: [ReplyHead] = [
        ReplyFixture.head(200, ["Content-Length": "1000", "ETag": "\"a\""]),
        ReplyFixture.head(200, ["Content-Length": "1000", "ETag": "\"b\""]), ReplyFixture.head(200),
        ReplyFixture.validPart, ReplyFixture.head(206, ["Content-Range": "bytes 0-999/1000"]),
        ReplyFixture.head(206), ReplyFixture.head(304), ReplyFixture.head(403, isRedirected: true),
        ReplyFixture.head(404), ReplyFixture.head(412), ReplyFixture.head(416),
        ReplyFixture.head(416, ["Content-Range": "bytes */400"]), ReplyFixture.head(503),
    ]

    @Test func everySequenceOfRepliesEnds() {
        /// Judges every sequence of replies, and returns the number of requests of the longest.
        func explore(_ judge: ReplyJudge, depth: Int, visited: inout Set<String>) -> Int {
            var longest = depth
            guard visited.insert("\(judge)").inserted else { return depth }
            for reply in Self.replies {
                var next = judge
                let verdict = next.judge(reply)
                if let plan = verdict.plan, plan.use == .rest {
                    #expect(plan.offset == judge.held.length, "a body is only appended at the end of the part file")
                    #expect(reply.status == 206)
                }
                if let plan = verdict.plan, plan.use == .whole { #expect(judge.held.length == 0) }
                if verdict == .askAgain { longest = max(longest, explore(next, depth: depth + 1, visited: &visited)) }
            }
            return longest
        }
        for held in [ReplyFixture.tagged, ReplyFixture.dated, ReplyFixture.weak, HeldContent()] {
            var visited: Set<String> = []
            #expect(explore(ReplyJudge(held: held), depth: 1, visited: &visited) <= ReplyJudge.requestLimit)
        }
    }
}
