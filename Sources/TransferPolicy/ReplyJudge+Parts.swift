/// The judgement of responses to requests for a part of the content.
extension ReplyJudge {
    /// Judges a response that claims to be a part of the content (status 206).
    mutating func judgePart(_ reply: ReplyHead) -> ReplyVerdict {
        guard request.isPartial else { return .fail(bad("the server sent a part, which was not asked for", reply)) }
        if isPortalPage(reply) { return .fail(portal) }
        guard let part = validPart(of: reply) else { return handleWrongPart() }
        var plan = BodyPlan(
            use: .rest, offset: held.length, bodyLength: part.last - part.first + 1, total: part.total,
            isResumable: true)
        if case .overlap(_, let length) = request { plan.overlap = length }
        plan.validators = merged(reply.validators)
        return accept(plan)
    }

    /// Counts a wrong part and requests the part again, or the whole content after the second wrong part.
    package mutating func handleWrongPart() -> ReplyVerdict {
        partFaultCount += 1
        guard partFaultCount >= Self.partFaultLimit else { return ask(request) }
        quirks.insert(.sendsWrongRanges)
        return ask(.whole)
    }

    /// Returns the range of a part that meets every rule; nil if it breaks one.
    private func validPart(of reply: ReplyHead) -> (first: Int64, last: Int64, total: Int64)? {
        guard case .part(let first, let last, let total)? = reply.contentRange, first == request.offset,
            !reply.isEncoded, reply.mediaType?.hasPrefix("multipart/") != true,
            reply.bodyLength == nil || reply.bodyLength == last - first + 1,
            !held.validators.contradicts(reply.validators), hasRequiredValidator(reply)
        else { return nil }
        if let total {
            guard last == total - 1, held.total == nil || held.total == total, total >= held.length else { return nil }
            return (first, last, total)
        }
        // The server does not state the total: only an equal validator proves that this is the same content.
        guard held.validators.stronglyMatches(reply.validators), last >= held.length - 1,
            held.total == nil || held.total == last + 1
        else { return nil }
        return (first, last, last + 1)
    }

    /// Whether a part has the validator that it needs. Without `If-Range`, the server has not compared the validator.
    private func hasRequiredValidator(_ reply: ReplyHead) -> Bool {
        guard case .rest(_, nil) = request else { return true }
        return held.validators.stronglyMatches(reply.validators)
    }

    /// Returns the validators of a part, completed with those of the part file: a response to `If-Range` may omit
    /// fields that the client has (RFC 9110, section 15.3.7).
    private func merged(_ validators: ContentValidators) -> ContentValidators {
        guard validators.entityTag != nil || validators.lastModified != nil else { return held.validators }
        return ContentValidators(
            entityTag: validators.entityTag ?? held.validators.entityTag,
            lastModified: validators.lastModified ?? held.validators.lastModified,
            date: validators.lastModified == nil ? held.validators.date : validators.date)
    }

    /// Judges the response that the requested range does not exist (status 416). Its body is never written.
    mutating func judgeUnsatisfiedRange(_ reply: ReplyHead) -> ReplyVerdict {
        guard request.isPartial, !hasRefusedRange else {
            return .fail(bad("the server refuses a range, which was not asked for", reply))
        }
        hasRefusedRange = true
        if case .unsatisfied(total: held.length)? = reply.contentRange {
            let hasValidator = held.validators.entityTag != nil || held.validators.lastModified != nil
            return hasValidator ? ask(.confirmation(held.validators)) : .complete
        }
        return ask(.whole)
    }
}
