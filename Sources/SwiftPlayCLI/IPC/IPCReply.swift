/// The reply to one JSON request.
struct IPCReply: Sendable, Equatable {
    /// The request's `request_id`; zero if the request has none or is malformed.
    let requestID: JSONValue
    let outcome: Outcome

    enum Outcome: Sendable, Equatable {
        /// The request succeeded; nil omits `data`.
        case success(JSONValue?)
        case failure(IPCError)
    }

    /// Appends the reply as one line of JSON, with a line feed at the end.
    func encode(into bytes: inout [UInt8]) {
        var members: [(String, JSONValue)] = []
        var word = "success"
        switch outcome {
        case .success(let data): if let data { members.append(("data", data)) }
        case .failure(let error): word = error.rawValue
        }
        members += [("request_id", requestID), ("error", .string(word))]
        JSONValue.encode(members: members, into: &bytes)
        bytes.append(UInt8(ascii: "\n"))
    }
}
