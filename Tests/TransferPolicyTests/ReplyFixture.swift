@testable import TransferPolicy

/// Responses and part files for the tests of ``ReplyJudge``. The content has 1000 bytes, of which the part file holds
/// 400.
enum ReplyFixture {
    /// The time of the tests in seconds since 1970: Sun, 06 Nov 1994 08:49:37 GMT.
    static let now: Int64 = 784_111_777
    /// A date ten seconds before ``now``, too close to it to identify content.
    static let recentDate = "Sun, 06 Nov 1994 08:49:27 GMT"
    /// A date an hour before ``now``.
    static let oldDate = "Sun, 06 Nov 1994 07:49:37 GMT"
    /// The date at ``now``.
    static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    /// A part file with a strong entity tag.
    static let tagged = HeldContent(
        length: 400, total: 1000, validators: ContentValidators(entityTag: "\"a\"", date: date), mediaType: "video/mp4")
    /// A part file whose `Last-Modified` identifies the content.
    static let dated = HeldContent(
        length: 400, total: 1000, validators: ContentValidators(lastModified: oldDate, date: date))
    /// A part file with a weak entity tag.
    static let weak = HeldContent(
        length: 400, total: 1000, validators: ContentValidators(entityTag: "W/\"a\"", date: date))

    /// Returns the head of a response.
    static func head(_ status: Int, _ fields: KeyValuePairs<String, String> = [:], isRedirected: Bool = false)
        -> ReplyHead
    {
        ReplyHead(status: status, fields: fields.map { ReplyHead.Field($0, $1) }, isRedirected: isRedirected)
    }

    /// A valid response with the last 600 bytes.
    static let validPart = head(206, ["Content-Range": "bytes 400-999/1000", "Content-Length": "600", "ETag": "\"a\""])
}

extension ReplyJudge {
    /// Judges a response at the time of the tests.
    mutating func judge(_ reply: ReplyHead) -> ReplyVerdict { judge(reply, now: ReplyFixture.now) }
}

extension ReplyVerdict {
    /// The plan of an accepted body; nil for other verdicts.
    var plan: BodyPlan? { if case .accept(let plan) = self { plan } else { nil } }
    /// The fault of a failure; nil for other verdicts.
    var fault: ReplyFault? { if case .fail(let fault) = self { fault } else { nil } }
}
