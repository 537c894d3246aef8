/// The part of the content that a request asks for, and the fields that ask for it (RFC 9110, sections 13 and 14).
package enum ResumeRequest: Equatable, Sendable {
    /// The whole content.
    case whole
    /// The content from an offset on. With `ifRange`, the server sends the whole content if the validator does not
    /// match.
    case rest(offset: Int64, ifRange: String?)
    /// The content from `offset` on, which begins with `length` bytes that the part file already holds. They are
    /// compared, because no validator identifies the content.
    case overlap(offset: Int64, length: Int64)
    /// Whether the content is still the complete content that the part file holds. The reply has no body.
    case confirmation(ContentValidators)

    /// The number of bytes that are compared.
    package static let overlapLength: Int64 = 65_536

    /// Returns the request that continues a part file.
    ///
    /// - Parameters:
    ///   - held: The content of the part file.
    ///   - quirks: The quirks of the host.
    package init(continuing held: HeldContent, quirks: HostQuirks = []) {
        guard held.length > 0, quirks.isDisjoint(with: [.hasNoRanges, .sendsWrongRanges]) else {
            self = .whole
            return
        }
        let isComplete = held.total == held.length
        if let validator = held.validators.strongValidator {
            self =
                isComplete
                ? .confirmation(held.validators)
                : .rest(
                    offset: held.length, ifRange: quirks.contains(.ignoresMatchingIfRange) ? nil : validator)
        } else if held.total != nil {
            let length = min(held.length, Self.overlapLength)
            self = .overlap(offset: held.length - length, length: length)
        } else {
            self = .whole
        }
    }

    /// The offset in the content of the first requested byte.
    package var offset: Int64 {
        switch self {
        case .whole, .confirmation: 0
        case .rest(let offset, _), .overlap(let offset, _): offset
        }
    }

    /// Whether the request asks for a part of the content.
    package var isPartial: Bool {
        switch self {
        case .whole, .confirmation: false
        case .rest, .overlap: true
        }
    }

    /// Whether the method is `HEAD`, so that the reply has no body.
    package var isHead: Bool { if case .confirmation = self { true } else { false } }

    /// The header fields of the request that ask for this part. They replace fields of the same names that a program
    /// set.
    package var fields: [ReplyHead.Field] {
        let identity = ReplyHead.Field("accept-encoding", "identity")
        switch self {
        case .whole: return [identity]
        case .rest(let offset, let ifRange):
            let condition = ifRange.map { [ReplyHead.Field("if-range", $0)] } ?? []
            return [identity, ReplyHead.Field("range", "bytes=\(offset)-")] + condition
        case .overlap(let offset, _): return [identity, ReplyHead.Field("range", "bytes=\(offset)-")]
        case .confirmation(let validators):
            if let tag = validators.entityTag { return [identity, ReplyHead.Field("if-none-match", tag)] }
            return [identity]
                + (validators.lastModified.map { [ReplyHead.Field("if-modified-since", $0)] } ?? [])
        }
    }

    /// The names of all fields that this type sets in some request. Fields of programs with these names are not sent.
    package static let managedFields: Set<String> = [
        "accept-encoding", "range", "if-range", "if-none-match", "if-modified-since", "if-match",
        "if-unmodified-since",
    ]
}
