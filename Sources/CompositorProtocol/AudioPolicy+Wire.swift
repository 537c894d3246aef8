import AudioPolicy
import WireFormat

extension AudioRoute? {
    func write(to writer: inout MessageWriter) {
        writer.write(self != nil)
        if let route = self {
            writer.write(route.device)
            writer.write(route.port.rawValue)
            writer.write(route.name)
        }
    }

    init(from reader: inout MessageReader) throws(MalformedMessage) {
        guard try reader.read() else {
            self = nil
            return
        }
        let device: String = try reader.read()
        guard let port = AudioRoute.Port(rawValue: try reader.read()) else { throw MalformedMessage("an unknown port") }
        self = AudioRoute(device: device, port: port, name: try reader.read())
    }
}

extension AudioConfiguration {
    func write(to writer: inout MessageWriter) {
        writer.write(category.rawValue)
        writer.write(mode.rawValue)
        writer.write(options.rawValue)
    }

    init(from reader: inout MessageReader) throws(MalformedMessage) {
        guard let category = AudioCategory(rawValue: try reader.read()),
            let mode = AudioMode(rawValue: try reader.read())
        else {
            throw MalformedMessage("an unknown category or mode")
        }
        let options = AudioCategoryOptions(rawValue: try reader.read())
        // The SwiftPlay library rejects invalid combinations before it sends them, so the sender is faulty.
        do throws(AudioSessionErrorCode) {
            self = try AudioConfiguration(category: category, mode: mode, options: options)
        } catch { throw MalformedMessage("category, mode and options are not a valid combination") }
    }
}

extension AudioSessionErrorCode {
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        guard let code = AudioSessionErrorCode(rawValue: try reader.read()) else {
            throw MalformedMessage("an unknown error of an audio session")
        }
        self = code
    }
}

// The numbers that represent the arbiter's enumeration cases in messages.
extension AudioArbiter.Visibility {
    var wireValue: UInt8 {
        switch self {
        case .foreground: 1
        case .background: 2
        case .pictureInPicture: 3
        }
    }

    init(from reader: inout MessageReader) throws(MalformedMessage) {
        let wireValue = try reader.read(UInt8.self)
        guard let visibility = Self.allCases.first(where: { $0.wireValue == wireValue }) else {
            throw MalformedMessage("an unknown visibility")
        }
        self = visibility
    }
}

extension AudioArbiter.Reason {
    var wireValue: UInt8 {
        switch self {
        case .default: 1
        case .appWasSuspended: 2
        case .routeDisconnected: 3
        }
    }
}

extension AudioArbiter.PromptStyle {
    var wireValue: UInt8 {
        switch self {
        case .none: 1
        case .short: 2
        case .normal: 3
        }
    }
}
