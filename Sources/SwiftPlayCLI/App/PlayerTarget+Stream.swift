import SwiftPlayKit

/// The properties of buffering and of streams.
extension PlayerTarget {
    /// Returns the value of a property of buffering or of the variants; nil for any other name.
    func streamProperty(_ name: String) throws(IPCError) -> JSONValue? {
        switch name {
        case "demuxer-cache-duration", "demuxer-cache-time", "demuxer-cache-idle", "cache-buffering-state",
            "demuxer-cache-state":
            guard let state = player.currentItem?.bufferingState else { throw .propertyUnavailable }
            let value = try Self.bufferingValue(name, state)
            guard name == "demuxer-cache-state", case .object(var object) = value else { return value }
            object["seekable-ranges"] = .array(
                (player.currentItem?.seekableTimeRanges ?? []).map { range in
                    .object(["start": .double(range.start.seconds), "end": .double(range.end.seconds)])
                })
            return .object(object)
        case "hls-bitrate":
            let text = player.streamPreference.hlsBitrate
            return Int64(text).map { .int($0) } ?? .string(text)
        case "variant-list":
            let status = player.currentItem?.streamStatus
            let variants = status?.variants ?? []
            return .array(variants.map { Self.variantValue($0, isCurrent: $0.index == status?.currentVariantIndex) })
        case "variant":
            guard let status = player.currentItem?.streamStatus, let currentIndex = status.currentVariantIndex else {
                throw .propertyUnavailable
            }
            var object: [String: JSONValue] = [
                "index": .int(Int64(currentIndex)), "reason": .string(status.reason),
                "estimated-bitrate": .double(status.bitsPerSecond),
                "forced": .bool(player.qualityChoices.selectedIndex != nil),
            ]
            if let variant = status.variants.first(where: { $0.index == currentIndex }),
                case .object(let fields) = Self.variantValue(variant, isCurrent: true)
            {
                object.merge(fields) { statusValue, _ in statusValue }
            }
            return .object(object)
        default: return nil
        }
    }

    /// Sets a property of streams; returns false if `name` is another property.
    func setStreamProperty(_ name: String, _ value: JSONValue) throws(IPCError) -> Bool {
        let text: String =
            switch value {
            case .bool(false): "no"
            case .int(let number): String(number)
            case .double(let number): Int64(exactly: number).map { String($0) } ?? ""
            case .string(let text): text
            default: ""
            }
        switch name {
        case "hls-bitrate":
            guard let preference = StreamPreference(hlsBitrate: text) else { throw .propertyFormat }
            player.chooseVariant(nil)
            player.streamPreference = preference
        case "variant":
            guard let item = player.currentItem, let status = item.streamStatus else { throw .propertyUnavailable }
            if ["auto", "no"].contains(text) {
                player.chooseVariant(nil)
                break
            }
            guard let index = Int(text) else { throw .propertyFormat }
            guard status.variants.contains(where: { $0.index == index && $0.isPlayable }) else { throw .propertyError }
            player.chooseVariant(index)
        default: return false
        }
        return true
    }

    /// Returns the JSON object that describes a variant; `isCurrent`: whether the variant plays now.
    private static func variantValue(_ variant: StreamVariant, isCurrent: Bool) -> JSONValue {
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

    /// Returns the value of the buffering property `name`.
    private static func bufferingValue(_ name: String, _ state: ItemBuffering) throws(IPCError) -> JSONValue {
        let readAhead = Double(state.readAhead) / 1e9, end = state.readUntil.map { Double($0) / 1e9 }
        switch name {
        case "demuxer-cache-duration": return .double(readAhead)
        case "demuxer-cache-time":
            guard let end else { throw .propertyUnavailable }
            return .double(end)
        case "demuxer-cache-idle": return .bool(state.isFull || state.hasReadAll)
        case "cache-buffering-state": return .int(Int64(state.rebufferingPercent))
        default:
            var object: [String: JSONValue] = [
                "cache-duration": .double(readAhead), "eof": .bool(state.hasReadAll),
                "idle": .bool(state.isFull || state.hasReadAll), "underrun": .bool(state.isEmpty && !state.hasReadAll),
            ]
            if let end { object["cache-end"] = .double(end) }
            return .object(object)
        }
    }
}
