import SwiftPlayKit

/// The properties of playback: position, speed, chapters and repetition.
extension PlayerProperty {
    static let playback: [PlayerProperty] = position + state + chapters + loops

    private static let position: [PlayerProperty] = [
        timePosition("time-pos"), timePosition("playback-time"),
        PlayerProperty("audio-pts", .time, changes: .withPlayback) { context in
            context.openItem?.hasAudio == true ? .finite(context.player.currentTime().seconds) : nil
        },
        PlayerProperty("duration", .time) { .finite($0.item?.duration.seconds) },
        PlayerProperty("time-start", .time) { $0.openItem == nil ? nil : 0.0 },
        PlayerProperty("time-remaining", .time, changes: .withPlayback) { .finite(remainingSeconds($0)) },
        PlayerProperty("playtime-remaining", .time, changes: .withPlayback) { context in
            .finite(remainingSeconds(context).map { $0 / Double(context.player.defaultRate) })
        },
        PlayerProperty("percent-pos", .number(0...100), changes: .withPlayback) { context in
            guard let duration = context.item?.duration.seconds, duration > 0 else { return nil }
            return .finite(min(100, max(0, context.player.currentTime().seconds / duration * 100)))
        } write: { context, value throws(IPCError) in
            let percent = try value.propertyNumber(in: 0...100)
            guard let duration = context.item?.duration.seconds, duration.isFinite else { throw .propertyUnavailable }
            context.target.runOnMainQueue { $0.seek(to: duration * percent / 100) }
        },
        PlayerProperty("estimated-frame-count", .integer()) { context in
            guard let item = context.openItem, item.nominalFrameRate > 0, item.duration.isNumeric else { return nil }
            return .integer(Int(exactly: (item.duration.seconds * item.nominalFrameRate).rounded()))
        },
        PlayerProperty("estimated-frame-number", .integer(), changes: .withPlayback) { context in
            guard let item = context.openItem, item.nominalFrameRate > 0 else { return nil }
            return .integer(Int(exactly: (context.player.currentTime().seconds * item.nominalFrameRate).rounded()))
        },
    ]

    /// Returns the property for the position in seconds, under one of its names.
    private static func timePosition(_ name: String) -> PlayerProperty {
        PlayerProperty(name, .time, changes: .withPlayback) { context in
            context.openItem == nil ? nil : .finite(context.player.currentTime().seconds)
        } write: { context, value throws(IPCError) in
            let time = try value.propertyNumber()
            context.target.runOnMainQueue { $0.seek(to: time) }
        }
    }

    /// Returns the number of seconds until the end of the item; nil if the duration is unknown.
    private static func remainingSeconds(_ context: PropertyContext) -> Double? {
        context.item.map { $0.duration.seconds - context.player.currentTime().seconds }
    }

    private static let state: [PlayerProperty] = [
        PlayerProperty("pause", .flag, isOption: true) {
            .bool($0.state.isImagePaused ?? ($0.player.rate == 0 && !$0.player.isAtEndOfStillImage))
        } write: { context, value throws(IPCError) in
            context.target.setIsPaused(try value.propertyFlag())
        },
        PlayerProperty("speed", .number(0.01...100), isOption: true) {
            .double(Double($0.player.defaultRate))
        } write: { context, value throws(IPCError) in
            let speed = Float(try value.propertyNumber(in: 0.01...100))
            context.player.defaultRate = speed
            if context.player.rate != 0 { context.player.rate = speed }
        },
        PlayerProperty("seeking", .flag, changes: .withPlayback) { .bool($0.player.isSeeking) },
        PlayerProperty("seekable", .flag) { .bool($0.item?.isSeekable ?? false) },
        PlayerProperty("partially-seekable", .flag) { $0.openItem == nil ? nil : false },
        PlayerProperty("eof-reached", .flag) { .bool($0.state.isAtEnd) },
        PlayerProperty("core-idle", .flag) { .bool($0.player.timeControlStatus != .playing) },
        PlayerProperty("idle-active", .flag) { .bool($0.item == nil) },
        PlayerProperty("playback-abort", .flag) { .bool($0.item == nil) },
        PlayerProperty("avsync", .number(), changes: .withPlayback) {
            .double($0.player.statistics.synchronisation.offset)
        },
        PlayerProperty("decoder-frame-drop-count", .integer(), changes: .withPlayback) {
            $0.openItem?.hasVideo == true ? 0 : nil
        },
        PlayerProperty("frame-drop-count", .integer(), changes: .withPlayback) {
            .integer($0.player.statistics.framesDropped)
        },
        PlayerProperty("vo-delayed-frame-count", .integer(), changes: .withPlayback) {
            .integer($0.player.statistics.framesLate)
        },
        PlayerProperty("keep-open", .choice(["no", "yes", "always"]), isOption: true) {
            .bool($0.state.settings.keepsOpen)
        } write: { context, value throws(IPCError) in
            let isKept = value == "always" ? true : try value.propertyFlag()
            context.target.changeSettings { $0.keepsOpen = isKept }
        },
        PlayerProperty("start", .text, isOption: true) { .string($0.state.settings.start?.optionText ?? "none") },
        PlayerProperty("end", .text, isOption: true) { .string($0.state.settings.end?.optionText ?? "none") },
    ]

    private static let chapters: [PlayerProperty] = [
        PlayerProperty("chapters", .integer()) { .integer($0.item?.chapters.count ?? 0) },
        PlayerProperty("chapter", .integer(), changes: .withPlayback) {
            .integer(chapterIndex($0))
        } write: { context, value throws(IPCError) in
            guard let chapters = context.item?.chapters, !chapters.isEmpty else { throw .propertyUnavailable }
            let index = Int(try value.propertyNumber(in: 0...Double(chapters.count - 1)))
            context.target.runOnMainQueue { $0.seek(to: chapters[index].timeRange.start.seconds) }
        },
        PlayerProperty("chapter-list", .list) { context in
            .array(
                (context.item?.chapters ?? []).map { chapter in
                    .object(["title": .string(chapter.title ?? ""), "time": .double(chapter.timeRange.start.seconds)])
                })
        },
        PlayerProperty("chapter-metadata", .object, changes: .withPlayback) { context in
            guard let index = chapterIndex(context), let chapters = context.item?.chapters,
                chapters.indices.contains(index)
            else { return nil }
            return .object(chapters[index].title.map { ["title": .string($0)] } ?? [:])
        },
        PlayerProperty("edition-list", .list) { $0.openItem == nil ? nil : [] },
    ]

    /// Returns the index of the current chapter, -1 before the first chapter; nil if there are no chapters.
    private static func chapterIndex(_ context: PropertyContext) -> Int? {
        guard let chapters = context.item?.chapters, !chapters.isEmpty else { return nil }
        return ChapterIndex.index(
            at: context.player.currentTime().seconds, starts: chapters.map(\.timeRange.start.seconds))
    }

    private static let loops: [PlayerProperty] = [
        fileLoop, fileLoop.renamed("loop"),
        PlayerProperty("loop-playlist", .choice(["no", "inf"]), isOption: true) {
            $0.state.playlistLoop.propertyValue
        } write: { context, value throws(IPCError) in
            guard let count = try LoopCount(value) else { throw .propertyFormat }
            context.target.runOnMainQueue { app in
                app.playlist.remainingRounds = count.withoutFirstPlayback
                app.queueNextItem()
            }
        },
        abLoopPoint("ab-loop-a", \.pointA), abLoopPoint("ab-loop-b", \.pointB),
    ]

    private static let fileLoop = PlayerProperty("loop-file", .choice(["no", "inf"]), isOption: true) {
        $0.state.fileLoop.propertyValue
    } write: { context, value throws(IPCError) in
        guard let count = try LoopCount(value) else { throw .propertyFormat }
        context.target.runOnMainQueue { app in
            app.loopsLeft = count
            app.queueNextItem()
        }
    }

    /// Returns the property for one point of the A-B loop.
    private static func abLoopPoint(_ name: String, _ point: any WritableKeyPath<ABLoop, Double?> & Sendable)
        -> PlayerProperty
    {
        PlayerProperty(name, .time, isOption: true) {
            $0.state.abLoop[keyPath: point].map { .double($0) } ?? "no"
        } write: { context, value throws(IPCError) in
            let time: Double? = if case .string("no") = value { nil } else { try value.propertyNumber(in: 0...1e9) }
            context.target.state.withLock { $0.abLoop[keyPath: point] = time }
            context.target.runOnMainQueue { app in
                app.abLoop[keyPath: point] = time
                app.applyABLoop()
            }
        }
    }
}
