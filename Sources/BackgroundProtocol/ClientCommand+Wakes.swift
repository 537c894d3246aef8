import WireFormat

/// The commands for wakes: background fetches and notifications.
extension ClientCommand {
    /// Appends a command for wakes to a message.
    func writeWake(to writer: inout MessageWriter) {
        switch self {
        case .setFetchInterval(let seconds):
            writer.write(UInt8(14))
            writer.writeOptional(seconds) { $0.write($1) }
        case .setPresence(let presence):
            writer.write(UInt8(15))
            writer.write(presence.rawValue)
        case .completeFetch(let token, let result):
            writer.write(16, token)
            writer.write(result.rawValue)
        case .completeNotification(let id, let result):
            writer.write(17, id)
            writer.write(result.rawValue)
        case .push(let message):
            writer.write(UInt8(18))
            message.write(to: &writer)
        case .listPrograms: writer.write(UInt8(19))
        case .control(let program, let action):
            writer.write(UInt8(20))
            writer.writeText(program)
            writer.write(action.rawValue)
        case .registerForNotifications(let isOn):
            writer.write(UInt8(21))
            writer.write(isOn)
        case .registerForEncryptedNotifications: writer.write(UInt8(26))
        case .setPushServer(let address):
            writer.write(UInt8(22))
            writer.writeOptional(address) { $0.writeText($1) }
        default: break
        }
    }

    /// Reads the command for wakes with a number.
    init(wake number: UInt8, from reader: inout MessageReader) throws(MalformedMessage) {
        switch number {
        case 14:
            let seconds = try reader.readOptional { reader throws(MalformedMessage) in try reader.read(Int64.self) }
            if let seconds, !(0...ClientLimits.timeLimit).contains(seconds) {
                throw MalformedMessage("an interval is out of range")
            }
            self = .setFetchInterval(seconds)
        case 15: self = .setPresence(try reader.readValue())
        case 16: self = .completeFetch(token: try reader.read(), try reader.readValue())
        case 17: self = .completeNotification(id: try reader.read(), try reader.readValue())
        case 18: self = .push(try PushMessage(from: &reader))
        case 19: self = .listPrograms
        case 20: self = .control(program: try reader.readName(), try reader.readValue())
        case 22:
            self = .setPushServer(
                try reader.readOptional { reader throws(MalformedMessage) in
                    try reader.readText(limit: EngineLimits.valueBytes)
                })
        case 21: self = .registerForNotifications(try reader.read())
        case 26: self = .registerForEncryptedNotifications
        default: throw MalformedMessage("an unknown command", isUnknown: true)
        }
    }
}

extension MessageReader {
    /// Reads a value with a number.
    mutating func readValue<Value: RawRepresentable<UInt8>>() throws(MalformedMessage) -> Value {
        guard let value = Value(rawValue: try read()) else { throw MalformedMessage("an unknown \(Value.self)") }
        return value
    }
}
