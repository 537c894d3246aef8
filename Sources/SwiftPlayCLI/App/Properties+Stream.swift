import MediaPipeline
import SwiftPlayKit

/// The properties of reading ahead and of streams.
extension PlayerProperty {
    static let stream: [PlayerProperty] = cache + variants

    private static let cache: [PlayerProperty] = [
        PlayerProperty("paused-for-cache", .flag) { .bool($0.player.reasonForWaitingToPlay == .toMinimizeStalls) },
        PlayerProperty("cache-buffering-state", .integer(), changes: .withPlayback) {
            .integer($0.item?.bufferingState?.rebufferingPercent)
        },
        PlayerProperty("demuxer-cache-duration", .number(), changes: .withPlayback) {
            .finite($0.item?.bufferingState.map { Double($0.readAhead) / 1e9 })
        },
        PlayerProperty("demuxer-cache-time", .time, changes: .withPlayback) {
            .finite($0.item?.bufferingState?.readUntil.map { Double($0) / 1e9 })
        },
        PlayerProperty("demuxer-cache-idle", .flag, changes: .withPlayback) {
            ($0.item?.bufferingState).map { .bool($0.isFull || $0.hasReadAll) }
        },
        PlayerProperty("demuxer-cache-state", .object, changes: .withPlayback) { cacheState($0) },
        PlayerProperty("cache-speed", .bytes, changes: .withPlayback) { context in
            guard let status = context.item?.streamStatus, status.bitsPerSecond.isFinite else { return nil }
            return .integer(Int(exactly: (status.bitsPerSecond / 8).rounded()))
        },
        PlayerProperty("cache", .choice(["no", "yes", "auto"]), isOption: true) { context in
            context.state.settings.network.cache.isEnabled.map { .bool($0) } ?? "auto"
        },
        PlayerProperty("demuxer-readahead-secs", .number(), isOption: true) { context in
            .double(Double(context.state.settings.network.cache.readAheadDuration ?? defaultLimit(context).time) / 1e9)
        },
        PlayerProperty("demuxer-max-bytes", .bytes, isOption: true) { context in
            .integer(context.state.settings.network.cache.readAheadByteLimit ?? defaultLimit(context).bytes)
        },
        PlayerProperty("demuxer-max-back-bytes", .bytes, isOption: true) { context in
            .integer(
                context.state.settings.network.cache.keptByteLimit ?? CacheConfiguration.defaultKeptByteLimit)
        },
    ]

    /// Returns the limits on reading ahead that hold without options.
    private static func defaultLimit(_ context: PropertyContext) -> PacketBuffer.Limit {
        context.item?.bufferingState?.isRemote == true ? .network : PacketBuffer.Limit()
    }

    /// Returns the value of `demuxer-cache-state`.
    private static func cacheState(_ context: PropertyContext) -> JSONValue? {
        guard let item = context.item, let state = item.bufferingState else { return nil }
        var object: [String: JSONValue] = [
            "cache-duration": .double(Double(state.readAhead) / 1e9), "eof": .bool(state.hasReadAll),
            "idle": .bool(state.isFull || state.hasReadAll), "underrun": .bool(state.isEmpty && !state.hasReadAll),
            "fw-bytes": .int(Int64(state.packetBytes)),
            "seekable-ranges": .array(
                item.seekableTimeRanges.map { range in
                    .object(["start": .double(range.start.seconds), "end": .double(range.end.seconds)])
                }),
        ]
        if let end = state.readUntil { object["cache-end"] = .double(Double(end) / 1e9) }
        return .object(object)
    }

    private static let variants: [PlayerProperty] = [
        PlayerProperty("hls-bitrate", .text, isOption: true) { context in
            let text = context.player.streamPreference.hlsBitrate
            return Int64(text).map { .int($0) } ?? .string(text)
        } write: { context, value throws(IPCError) in
            guard let preference = StreamPreference(hlsBitrate: value.selectionText) else { throw .propertyFormat }
            context.player.chooseVariant(nil)
            context.player.streamPreference = preference
        },
        PlayerProperty("variant-list", .list) { context in
            let status = context.item?.streamStatus
            return .array(
                (status?.variants ?? []).map { variantValue($0, isCurrent: $0.index == status?.currentVariantIndex) })
        },
        PlayerProperty("variant", .object, changes: .withPlayback) {
            currentVariant($0)
        } write: { context, value throws(IPCError) in
            guard let item = context.item, let status = item.streamStatus else { throw .propertyUnavailable }
            let text = value.selectionText
            if ["auto", "no"].contains(text) { return context.player.chooseVariant(nil) }
            guard let index = Int(text) else { throw .propertyFormat }
            guard status.variants.contains(where: { $0.index == index && $0.isPlayable }) else { throw .propertyError }
            context.player.chooseVariant(index)
        },
    ]

    /// Returns the value of `variant`; nil if the item is no stream with variants.
    private static func currentVariant(_ context: PropertyContext) -> JSONValue? {
        guard let status = context.item?.streamStatus, let currentIndex = status.currentVariantIndex else { return nil }
        var object: [String: JSONValue] = [
            "index": .int(Int64(currentIndex)), "reason": .string(status.reason),
            "estimated-bitrate": .double(status.bitsPerSecond),
            "forced": .bool(context.player.qualityChoices.selectedIndex != nil),
        ]
        if let variant = status.variants.first(where: { $0.index == currentIndex }),
            case .object(let fields) = variantValue(variant, isCurrent: true)
        {
            object.merge(fields) { statusValue, _ in statusValue }
        }
        return .object(object)
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
}

extension JSONValue {
    /// The value as the text of a selection, such as a track: `no`, `auto` or a number; empty for other types.
    var selectionText: String {
        switch self {
        case .bool(false): "no"
        case .int(let number): String(number)
        case .double(let number): Int64(exactly: number).map { String($0) } ?? ""
        case .string(let text): text
        default: ""
        }
    }
}
