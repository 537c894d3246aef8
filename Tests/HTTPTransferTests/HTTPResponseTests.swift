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
}
