import Testing

@testable import HTTPTransfer

@Suite struct HTTPResponseTests {
    private func response(_ status: Int, _ lines: String...) -> HTTPResponse {
        var fields = HTTPFields()
        for line in lines { fields.add(line: line + "\r\n") }
        return HTTPResponse(status: status, address: "http://a/b", fields: fields)
    }

    @Test func fieldNamesIgnoreCaseAndValuesAreTrimmed() {
        let response = response(200, "content-LENGTH:   12 ", "X: a: b", "no field")
        #expect(
            response.fields["content-length"] == "12" && response.fields["x"] == "a: b" && response.resourceSize == 12)
    }

    @Test(
        "a valid Content-Range field is parsed",
        arguments: [
            ("bytes 0-499/1234", 0..<500, 1234), ("bytes 7-7/*", 7..<8, nil), ("bytes */10", nil, 10),
            ("BYTES 0-0/1", 0..<1, 1),
        ] as [(String, Range<Int64>?, Int64?)])
    func validContentRangeIsParsed(text: String, bytes: Range<Int64>?, size: Int64?) throws {
        let range = try #require(HTTPContentRange(text))
        #expect(range.bytes == bytes && range.size == size)
    }

    @Test(arguments: [
        "", "bytes", "bytes 5-4/10", "bytes 0-10/10", "bytes -1-4/10", "bytes 0-/10", "items 0-1/2", "bytes 0-4",
        "bytes 0-9223372036854775807/*", "bytes 0-4/-1", "bytes a-b/c",
    ])
    func invalidContentRangeIsRejected(text: String) { #expect(HTTPContentRange(text) == nil) }

    @Test func sizeOfAPartialResponseIsTheSizeOfTheResource() {
        let response = response(206, "Content-Length: 10", "Content-Range: bytes 90-99/100")
        #expect(response.resourceSize == 100 && response.isPartial && response.acceptsRanges)
    }

    @Test func sizeOfACompressedResponseIsUnknown() {
        #expect(response(200, "Content-Length: 10", "Content-Encoding: gzip").resourceSize == nil)
    }

    @Test func rangesNeedTheAcceptRangesFieldAndTheSize() {
        #expect(response(200, "Accept-Ranges: bytes", "Content-Length: 1").acceptsRanges)
        #expect(
            !response(200, "Accept-Ranges: bytes").acceptsRanges && !response(200, "Content-Length: 1").acceptsRanges)
        #expect(!response(200, "Accept-Ranges: none", "Content-Length: 1").acceptsRanges)
    }

    @Test func weakEntityTagIsNotAValidator() {
        #expect(response(200, "ETag: \"x\"", "Last-Modified: D").validator == "\"x\"")
        #expect(response(200, "ETag: W/\"x\"", "Last-Modified: D").validator == "D")
        #expect(response(200, "ETag: W/\"x\"").validator == nil)
    }

    @Test func retryAfterAcceptsOnlySeconds() {
        #expect(response(503, "Retry-After: 3").retryAfter == 3_000_000_000)
        #expect(response(503, "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT").retryAfter == nil)
        #expect(response(503, "Retry-After: 99999999999999").retryAfter == 86_400_000_000_000)
    }

    @Test func theLastOfTwoFieldsWithTheSameNameIsKept() {
        #expect(response(200, "Content-Length: 1", "content-length: 2").resourceSize == 2)
    }

    @Test("a response without a valid Content-Range field is not partial")
    func partialResponsesNeedAContentRange() {
        #expect(!response(206, "Content-Length: 10").isPartial)
        #expect(!response(206, "Content-Range: bytes 9-0/10").isPartial)
        #expect(!response(200, "Content-Range: bytes 0-9/10").isPartial)
        #expect(!response(206, "Content-Length: 10").acceptsRanges)
    }

    @Test("an unsatisfiable range states the size of the resource")
    func unsatisfiableRangeStatesTheSize() {
        #expect(response(416, "Content-Length: 5", "Content-Range: bytes */1234").resourceSize == 1234)
        #expect(response(416, "Content-Length: 5").resourceSize == nil)
    }

    @Test(
        "a Content-Length field that is no number states no size",
        arguments: ["-1", "", "1.5", "0x10", "99999999999999999999", "5, 5"])
    func invalidContentLengthStatesNoSize(text: String) {
        #expect(response(200, "Content-Length: " + text).resourceSize == nil)
    }

    @Test("the content coding identity leaves the size known", arguments: ["identity", "Identity", ""])
    func identityCodingKeepsTheSize(coding: String) {
        let response = response(200, "Content-Length: 9", "Content-Encoding: " + coding, "Accept-Ranges: Bytes")
        #expect(response.resourceSize == 9 && response.acceptsRanges)
    }

    @Test(arguments: [(199, false), (200, true), (206, true), (299, true), (300, false), (404, false)])
    func onlyStatuses200To299AreSuccesses(status: Int, isSuccess: Bool) {
        #expect(response(status).isSuccess == isSuccess)
    }

    @Test func aNegativeRetryDelayIsIgnored() {
        #expect(response(503, "Retry-After: -1").retryAfter == nil && response(503).retryAfter == nil)
        #expect(response(503, "Retry-After: 0").retryAfter == 0)
    }
}
