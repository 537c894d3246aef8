/// A number of repetitions as a property of the JSON IPC.
extension LoopCount {
    /// The value of the property: `inf`, `no` or a number.
    var property: JSONValue {
        switch self {
        case .forever: .string("inf")
        case .times(0): .string("no")
        case .times(let count): .int(Int64(count))
        }
    }

    init?(_ value: JSONValue) throws(IPCError) {
        switch value {
        case .string(let text): self.init(parsing: text)
        case .bool(let on): self = on ? .forever : .times(0)
        default: self = .times(Int(try value.propertyNumber(in: 0...1e6)))
        }
    }
}
