/// The answer to one JSON request.
struct IPCReply: Sendable, Equatable {
    /// What the request gave, zero when it gave none or could not be read.
    let requestID: JSONValue
    let outcome: Outcome

    enum Outcome: Sendable, Equatable {
        /// Done; nil leaves `data` out.
        case success(JSONValue?)
        case failure(IPCError)
    }

    /// Appends the reply as a line.
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
