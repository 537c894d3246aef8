import TransferPolicy

/// Collects the lines of response heads. Interim responses (1xx) are skipped.
struct ReplyHeadParser {
    /// The maximum size of the head of a response, in bytes.
    static let headLimit = 64 * 1024
    /// The maximum number of header fields; further fields are ignored.
    private static let fieldLimit = 256

    /// The result of a line.
    enum Line: Equatable {
        /// The head is not complete.
        case more
        /// The line ends the head of a final response.
        case head(status: Int, fields: [ReplyHead.Field])
        /// The response is longer than ``ReplyHeadParser/headLimit``, or its status line is malformed.
        case malformed
    }

    private var status = 0
    private var fields: [ReplyHead.Field] = []
    private var byteCount = 0
    /// Whether the head of a final response was returned: further lines are trailers of a chunked body.
    private var isComplete = false

    /// Reads the next line.
    mutating func read(_ bytes: UnsafeRawBufferPointer) -> Line {
        if isComplete { return .more }
        byteCount += bytes.count
        guard byteCount <= Self.headLimit else { return .malformed }
        let line = bytes.prefix { $0 != 13 && $0 != 10 }
        if line.isEmpty { return finish() }
        if bytes.starts(with: "HTTP/".utf8) {
            let words = line.split(separator: UInt8(ascii: " "))
            fields = []
            guard words.count >= 2, let status = Int(String(decoding: words[1], as: UTF8.self)),
                (100..<1000).contains(status)
            else { return .malformed }
            self.status = status
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")), fields.count < Self.fieldLimit {
            fields.append(ReplyHead.Field(Self.text(line[..<colon]), Self.text(line[(colon + 1)...])))
        }
        return .more
    }

    /// Ends the head of one response.
    private mutating func finish() -> Line {
        guard status >= 200 else {
            (status, fields) = (0, [])
            return .more
        }
        isComplete = true
        return .head(status: status, fields: fields)
    }

    /// Returns bytes as text without surrounding spaces.
    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == 9 }
        let trimmed = bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        return String(decoding: Array(trimmed), as: UTF8.self)
    }
}
