import SwiftPlayKit

/// The properties of buffering and of streams.
extension PlayerTarget {
    /// Returns the value of a property of buffering or of the variants; nil for any other name.
    func streamProperty(_ name: String) throws(IPCError) -> JSONValue? {
        switch name {
        case "demuxer-cache-duration", "demuxer-cache-time", "demuxer-cache-idle", "cache-buffering-state",
            "demuxer-cache-state":
            guard let state = player.currentItem?.bufferingState else { throw .propertyUnavailable }
            return try Self.bufferingValue(name, state)
        case "variant-list":
            let status = player.currentItem?.streamStatus
            return .array((status?.variants ?? []).map { Self.value($0, isCurrent: $0.index == status?.current) })
        case "variant":
            guard let status = player.currentItem?.streamStatus, let current = status.current else {
                throw .propertyUnavailable
            }
            var object: [String: JSONValue] = [
                "index": .int(Int64(current)), "reason": .string(status.reason),
                "estimated-bitrate": .double(status.bitsPerSecond),
            ]
            if let variant = status.variants.first(where: { $0.index == current }),
                case .object(let fields) = Self.value(variant, isCurrent: true)
            {
                object.merge(fields) { own, _ in own }
            }
            return .object(object)
        default: return nil
        }
    }

    private static func value(_ variant: StreamVariant, isCurrent: Bool) -> JSONValue {
        var object: [String: JSONValue] = [
            "index": .int(Int64(variant.index)), "bitrate": .int(Int64(variant.bandwidth)),
            "selected": .bool(isCurrent),
            "codecs": .string(variant.codecs.joined(separator: ",")),
        ]
        if !variant.size.isEmpty {
            object["width"] = .int(Int64(variant.size.width))
            object["height"] = .int(Int64(variant.size.height))
        }
        if let rate = variant.frameRate { object["fps"] = .double(rate) }
        return .object(object)
    }

    private static func bufferingValue(_ name: String, _ state: ItemBuffering) throws(IPCError) -> JSONValue {
        let ahead = Double(state.readAhead) / 1e9, end = state.readUntil.map { Double($0) / 1e9 }
        switch name {
        case "demuxer-cache-duration": return .double(ahead)
        case "demuxer-cache-time":
            guard let end else { throw .propertyUnavailable }
            return .double(end)
        case "demuxer-cache-idle": return .bool(state.isFull || state.hasReadAll)
        case "cache-buffering-state": return .int(Int64(state.percentUntilPlaying))
        default:
            var object: [String: JSONValue] = [
                "cache-duration": .double(ahead), "eof": .bool(state.hasReadAll),
                "idle": .bool(state.isFull || state.hasReadAll), "underrun": .bool(state.isEmpty && !state.hasReadAll),
            ]
            if let end { object["cache-end"] = .double(end) }
            return .object(object)
        }
    }
}
