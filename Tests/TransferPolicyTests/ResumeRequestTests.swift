import Testing

@testable import TransferPolicy

@Suite struct ResumeRequestTests {
    /// Returns the lines of the request's fields, without `accept-encoding`.
    private func lines(_ request: ResumeRequest) -> [String] {
        request.fields.filter { $0.name != "accept-encoding" }.map { "\($0.name): \($0.value)" }
    }

    @Test func anEmptyPartAsksForTheWholeContent() {
        #expect(ResumeRequest(continuing: HeldContent(total: 10)) == .whole)
        #expect(lines(.whole) == [])
    }

    @Test func aStrongEntityTagAsksForTheRestWithThatTag() {
        #expect(
            lines(ResumeRequest(continuing: ReplyFixture.tagged)) == ["range: bytes=400-", "if-range: \"a\""])
    }

    @Test func aStrongDateAsksForTheRestWithThatDate() {
        #expect(
            lines(ResumeRequest(continuing: ReplyFixture.dated))
                == ["range: bytes=400-", "if-range: \(ReplyFixture.oldDate)"])
    }

    @Test func aWeakEntityTagComparesTheHeldBytes() {
        let request = ResumeRequest(continuing: ReplyFixture.weak)
        #expect(request == .overlap(offset: 0, length: 400))
        #expect(lines(request) == ["range: bytes=0-"])
    }

    @Test func theComparedBytesAreTheLast64KiB() {
        let held = HeldContent(length: 1_000_000, total: 2_000_000)
        #expect(ResumeRequest(continuing: held) == .overlap(offset: 1_000_000 - 65_536, length: 65_536))
    }

    @Test func aRecentDateComparesTheHeldBytes() {
        var held = ReplyFixture.dated
        held.validators.lastModified = ReplyFixture.recentDate
        #expect(ResumeRequest(continuing: held) == .overlap(offset: 0, length: 400))
    }

    @Test func aWeakTagBesideAStrongDateComparesTheHeldBytes() {
        var held = ReplyFixture.weak
        held.validators.lastModified = ReplyFixture.oldDate
        #expect(ResumeRequest(continuing: held) == .overlap(offset: 0, length: 400))
    }

    @Test func noValidatorAndNoLengthAsksForTheWholeContent() {
        #expect(ResumeRequest(continuing: HeldContent(length: 400)) == .whole)
    }

    @Test func aWeakTagWithoutALengthAsksForTheWholeContent() {
        var held = ReplyFixture.weak
        held.total = nil
        #expect(ResumeRequest(continuing: held) == .whole)
    }

    @Test func aStrongTagNeedsNoLength() {
        var held = ReplyFixture.tagged
        held.total = nil
        #expect(ResumeRequest(continuing: held) == .rest(offset: 400, ifRange: "\"a\""))
    }

    @Test(arguments: [HostQuirks.hasNoRanges, .sendsWrongRanges])
    func hostsWithoutUsableRangesAreAskedForTheWholeContent(_ quirk: HostQuirks) {
        #expect(ResumeRequest(continuing: ReplyFixture.tagged, quirks: quirk) == .whole)
    }

    @Test func hostsThatIgnoreIfRangeAreAskedWithoutIt() {
        #expect(
            ResumeRequest(continuing: ReplyFixture.tagged, quirks: .ignoresMatchingIfRange)
                == .rest(offset: 400, ifRange: nil))
    }

    @Test func aCompletePartIsConfirmed() {
        var held = ReplyFixture.tagged
        held.length = 1000
        let request = ResumeRequest(continuing: held)
        #expect(request.isHead && lines(request) == ["if-none-match: \"a\""])
    }

    @Test func aCompletePartWithADateIsConfirmedByTheDate() {
        var held = ReplyFixture.dated
        held.length = 1000
        #expect(lines(ResumeRequest(continuing: held)) == ["if-modified-since: \(ReplyFixture.oldDate)"])
    }

    @Test func aCompletePartWithoutAStrongValidatorComparesItsEnd() {
        var held = ReplyFixture.weak
        held.length = 1000
        #expect(ResumeRequest(continuing: held) == .overlap(offset: 0, length: 1000))
    }

    @Test(
        arguments: [
            ResumeRequest.whole, .rest(offset: 1, ifRange: "\"a\""), .overlap(offset: 0, length: 1),
            .confirmation(ContentValidators(entityTag: "\"a\"")),
            .confirmation(ContentValidators(lastModified: ReplyFixture.oldDate)),
        ])
    func everyRequestAsksForTheIdentityEncoding(_ request: ResumeRequest) {
        #expect(request.fields.contains(ReplyHead.Field("accept-encoding", "identity")))
        #expect(request.fields.allSatisfy { ResumeRequest.managedFields.contains($0.name) })
    }
}
