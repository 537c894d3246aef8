/// Converts a number of repetitions to and from the value of a JSON IPC property.
extension LoopCount {
    /// The value of mpv's properties `loop-file` and `loop-playlist` for this number of repetitions: `inf`, `false` or
    /// a number.
    var propertyValue: JSONValue {
        switch self {
        case .forever: .string("inf")
        case .times(0): false
        case .times(let count): .int(Int64(count))
        }
    }

    /// Creates a number of repetitions from a client's JSON value: `inf`, `no`, a boolean or a number; nil for an
    /// unknown text.
    init?(_ value: JSONValue) throws(IPCError) {
        switch value {
        case .string(let text): self.init(parsing: text)
        case .bool(let isEndless): self = isEndless ? .forever : .times(0)
        default: self = .times(Int(try value.propertyNumber(in: 0...1e6)))
        }
    }
}
