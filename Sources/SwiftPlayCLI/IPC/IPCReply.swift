/// The reply to one JSON request.
struct IPCReply: Sendable, Equatable {
    /// The request's `request_id`; zero if the request has none or is malformed.
    let requestID: JSONValue
    /// The result of the request.
    let outcome: Outcome

    /// The result of a request.
    enum Outcome: Sendable, Equatable {
        /// The request succeeded; the value is the reply's `data`, and nil omits `data`.
        case success(JSONValue?)
        /// The request failed; the value is the error.
        case failure(IPCError)
    }

    /// Appends the reply as one line of JSON, with a line feed at the end.
    func encode(into bytes: inout [UInt8]) {
        var members: [(String, JSONValue)] = []
        var errorText = "success"
        switch outcome {
        case .success(let data): if let data { members.append(("data", data)) }
        case .failure(let error): errorText = error.rawValue
        }
        members += [("request_id", requestID), ("error", .string(errorText))]
        JSONValue.encode(members: members, into: &bytes)
        bytes.append(UInt8(ascii: "\n"))
    }
}
