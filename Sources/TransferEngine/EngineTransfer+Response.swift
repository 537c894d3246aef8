import BackgroundProtocol
import TransferPolicy

/// Describes accepted responses for the ledger.
extension EngineTransfer {
    /// Returns the description of a response.
    func response(_ head: ReplyHead, _ plan: BodyPlan) -> EngineResponse {
        let use: EngineResponse.Use =
            switch plan.use {
            case .whole: .whole
            case .rest: .rest
            case .changedContent: .changedContent
            case .restart: .restart
            case .errorPageInPart: .errorPageInPart
            case .errorPage: .errorPage
            }
        return EngineResponse(
            status: UInt16(clamping: head.status), use: use, address: bounded(address.text) ?? "",
            permanentAddress: redirects.permanentAddress.flatMap(bounded),
            offset: plan.use == .rest ? plan.offset : 0, total: plan.total, validators: bounded(plan.validators),
            isResumable: plan.isResumable, mediaType: head.mediaType.flatMap(validValue),
            suggestedName: head["content-disposition"].flatMap { ContentDisposition.fileName($0) },
            fields: fields(of: head))
    }

    /// The description of the response that the part file already holds the whole content.
    var completeResponse: EngineResponse {
        EngineResponse(
            status: 200, use: .nothing, address: bounded(address.text) ?? "",
            permanentAddress: redirects.permanentAddress.flatMap(bounded), total: part.length,
            validators: order.held.validators, isResumable: true, mediaType: order.held.mediaType)
    }

    /// Returns an address; nil if it is too long for a message.
    private func bounded(_ address: String) -> String? {
        address.utf8.count <= EngineLimits.addressBytes ? address : nil
    }

    /// Returns a value that a later order may carry; nil if it is too long or has control characters.
    private func validValue(_ value: String) -> String? {
        value.utf8.count <= EngineLimits.valueBytes && HeaderField("Value", value).fault == nil ? value : nil
    }

    /// Returns validators without those that a later order must not carry.
    private func bounded(_ validators: ContentValidators) -> ContentValidators {
        ContentValidators(
            entityTag: validators.entityTag.flatMap(validValue),
            lastModified: validators.lastModified.flatMap(validValue), date: validators.date.flatMap(validValue))
    }

    /// Returns the header fields without cookies and credentials, as many as fit into a message.
    private func fields(of head: ReplyHead) -> [HeaderField] {
        let secretNames: Set = ["set-cookie", "set-cookie2", "www-authenticate", "proxy-authenticate"]
        var fields: [HeaderField] = []
        for field in head.fields where !secretNames.contains(field.name) {
            let next = HeaderField(field.name, field.value)
            guard next.fault == nil, (fields + [next]).fault == nil else { continue }
            fields.append(next)
        }
        return fields
    }
}
