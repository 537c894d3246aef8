/// The judgement of responses whose body is not a part of the content.
extension ReplyJudge {
    /// Judges a successful response with the whole content.
    mutating func judgeWhole(_ reply: ReplyHead) -> ReplyVerdict {
        if isPortalPage(reply) { return .fail(portal) }
        let differs = held.validators.contradicts(reply.validators)
        if case .rest(let offset, .some) = request, !differs, held.validators.stronglyMatches(reply.validators),
            reply.bodyLength == nil || held.total == nil || reply.bodyLength == held.total
        {
            // The validator matches, so the server should have sent the rest: it does not handle If-Range.
            quirks.insert(.ignoresMatchingIfRange)
            return ask(.rest(offset: offset, ifRange: nil))
        }
        var use = BodyPlan.Use.whole
        if held.length > 0 {
            let isNew = hasChanged || differs || isIfRangeMismatch(reply)
            use = isNew ? .changedContent : .restart
            if request.isPartial, !isNew { quirks.insert(.hasNoRanges) }
        }
        return accept(wholeBody(reply, use))
    }

    /// Whether the server sent the whole content because the validator in `If-Range` does not match.
    private func isIfRangeMismatch(_ reply: ReplyHead) -> Bool {
        guard case .rest(_, .some) = request else { return false }
        return !held.validators.stronglyMatches(reply.validators)
            || (held.total != nil && reply.bodyLength != nil && reply.bodyLength != held.total)
    }

    /// Returns the plan for a body that is the whole content.
    private func wholeBody(_ reply: ReplyHead, _ use: BodyPlan.Use) -> BodyPlan {
        let total = reply.bodyLength
        let hasIdentity = reply.validators.strongValidator != nil || total != nil
        let isResumable =
            hasIdentity && !reply.refusesRanges && !reply.isEncoded && !reply.endsWithConnection
            && quirks.isDisjoint(with: [.hasNoRanges, .sendsWrongRanges])
        return BodyPlan(
            use: use, bodyLength: total, total: total, isResumable: isResumable, validators: reply.validators)
    }

    /// Judges a response to another method than `GET`, such as that of an upload. Its body is always whole, and
    /// replaces what an interrupted attempt has left in the part file.
    func judgeOtherMethod(_ reply: ReplyHead) -> ReplyVerdict {
        switch reply.status {
        case 200..<300 where reply.status != 206:
            let use: BodyPlan.Use = held.length > 0 ? .restart : .whole
            return accept(BodyPlan(use: use, bodyLength: reply.bodyLength, total: reply.bodyLength))
        case 400..<600: return errorPage(reply)
        default: return .fail(bad("the server sent status \(reply.status), which was not asked for", reply))
        }
    }

    /// Accepts an error page. It is stored beside the part file if the part file holds content.
    func errorPage(_ reply: ReplyHead) -> ReplyVerdict {
        accept(BodyPlan(use: held.length > 0 ? .errorPage : .errorPageInPart, bodyLength: reply.bodyLength))
    }

    /// Judges the response to the question whether the content is unchanged.
    mutating func judgeConfirmation(_ reply: ReplyHead) -> ReplyVerdict {
        switch reply.status {
        case 304: return .complete
        case 200..<300:
            if isPortalPage(reply) { return .fail(portal) }
            let hasOtherLength = reply.bodyLength != nil && reply.bodyLength != held.length
            if held.validators.matches(reply.validators), !hasOtherLength { return .complete }
            hasChanged = true
            return ask(.whole)
        default:
            // A reply to HEAD has no body that could be shown, and some servers refuse HEAD: ask for the last bytes.
            let length = min(held.length, ResumeRequest.overlapLength)
            return ask(.overlap(offset: held.length - length, length: length))
        }
    }

    /// Accepts a plan unless the content is too long.
    func accept(_ plan: BodyPlan) -> ReplyVerdict {
        if let contentLimit, let length = plan.total ?? plan.bodyLength, length > contentLimit {
            return .fail(
                ReplyFault(.tooLarge, "the content has \(length) bytes; at most \(contentLimit) are permitted"))
        }
        return .accept(plan)
    }

    /// Whether a page arrived in the place of other content.
    func isPortalPage(_ reply: ReplyHead) -> Bool {
        guard let heldType = held.mediaType else { return false }
        return reply.isHTML && !ReplyHead(status: 200, fields: [.init("content-type", heldType)]).isHTML
    }
}
