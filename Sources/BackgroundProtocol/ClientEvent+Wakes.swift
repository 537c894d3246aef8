import WireFormat

/// The messages about wakes: background fetches and notifications.
extension ClientEvent {
    /// Appends a message about wakes.
    func writeWake(to writer: inout MessageWriter) {
        switch self {
        case .fetch(let token): writer.write(12, token)
        case .notification(let id, let payload, let sender):
            writer.write(sender == nil ? 13 : 20, id)
            if let sender { writer.write(sender.rawValue) }
            writer.writeBytes(payload)
        case .wakeExpires: writer.write(UInt8(14))
        case .program(let program):
            writer.write(UInt8(15))
            program.write(to: &writer)
        case .received(let command, let receipt):
            writer.write(UInt8(16))
            writer.write(command)
            writer.write(receipt.rawValue)
        case .fetched(let command, let result, let milliseconds):
            writer.write(UInt8(17))
            writer.write(command)
            writer.writeOptional(result) { $0.write($1.rawValue) }
            writer.write(milliseconds)
        case .registration(let result):
            writer.write(UInt8(18))
            result.write(to: &writer)
        case .pushServer(let command, let address):
            writer.write(UInt8(19))
            writer.write(command)
            writer.writeText(address)
        default: break
        }
    }

    /// Reads the message about wakes with a number.
    init(wake number: UInt8, from reader: inout MessageReader) throws(MalformedMessage) {
        switch number {
        case 12: self = .fetch(token: try reader.read())
        case 13:
            self = .notification(
                id: try reader.read(), payload: try reader.readBytes(limit: PushMessage.payloadBytes), sender: nil)
        case 20:
            let (id, sender) = (try reader.read(Int64.self), try reader.readValue() as NotificationSender)
            self = .notification(
                id: id, payload: try reader.readBytes(limit: PushMessage.payloadBytes), sender: sender)
        case 14: self = .wakeExpires
        case 15: self = .program(try BackgroundProgram(from: &reader))
        case 16: self = .received(command: try reader.read(), try reader.readValue())
        case 17:
            self = .fetched(
                command: try reader.read(),
                try reader.readOptional { reader throws(MalformedMessage) -> WakeResult in try reader.readValue() },
                milliseconds: try reader.readLength())
        case 19:
            self = .pushServer(
                command: try reader.read(), try reader.readText(limit: EngineLimits.valueBytes))
        case 18: self = .registration(try RegistrationResult(from: &reader))
        default: throw MalformedMessage("an unknown message", isUnknown: true)
        }
    }
}
