import Dispatch
import Glibc
import SwiftPlayKit
import SystemCalls

/// What JSON IPC controls. Called on the server's thread: reads the player, which any thread may, and hands to the main queue what
/// belongs there.
final class PlayerTarget: IPCTarget {
    /// What belongs to the main queue, as it was when last looked at.
    struct Facts: Sendable {
        var volume = 100.0
        var isFullScreen = false
        var isInPictureInPicture = false
        var isPictureInPicturePossible = false
        var isPictureInPictureStalled = false
        var eofReached = false
        var position = 0
        var files: [String] = []
        var loop = LoopCount.times(0)
        var listLoop = LoopCount.times(0)
        var abLoop = ABLoop()
    }

    private struct Owner: Sendable { weak var app: PlayerApp? }

    let player: Player
    private let owner = Monitor(Owner())
    let facts = Monitor(Facts())

    init(player: Player) { self.player = player }

    var app: PlayerApp? {
        get { owner.withLock { $0.app } }
        set { owner.withLock { $0.app = newValue } }
    }

    private func onMain(_ body: @escaping @MainActor @Sendable (PlayerApp) -> Void) {
        DispatchQueue.main.async { [weak self] in
            MainActor.assumeIsolated {
                guard let app = self?.app, !app.isEnding else { return }
                body(app)
                app.propertiesMayHaveChanged()
            }
        }
    }

    // MARK: properties

    func getProperty(_ name: String) throws(IPCError) -> JSONValue {
        let item = player.currentItem
        let now = facts.withLock { $0 }
        switch name {
        case "pause": return .bool(player.rate == 0)
        case "time-pos", "playback-time": return try seconds(item?.status == .readyToPlay ? player.currentTime().seconds : nil)
        case "duration": return try seconds(item?.duration.seconds)
        case "time-remaining":
            guard let duration = item?.duration.seconds else { throw .propertyUnavailable }
            return try seconds(duration - player.currentTime().seconds)
        case "percent-pos":
            guard let duration = item?.duration.seconds, duration > 0 else { throw .propertyUnavailable }
            return try seconds(min(100, max(0, player.currentTime().seconds / duration * 100)))
        case "volume": return .double(now.volume)
        case "mute": return .bool(player.isMuted)
        case "speed": return .double(Double(player.defaultRate))
        case "deinterlace": return .string(player.deinterlacing.name)
        case "path": return try text(item?.location)
        case "filename": return try text(item?.location.split(separator: "/").last.map(String.init))
        case "media-title": return try text(item.flatMap { $0.title ?? $0.location.split(separator: "/").last.map(String.init) })
        case "eof-reached": return .bool(now.eofReached)
        case "seeking": return .bool(player.isSeeking)
        case "paused-for-cache": return .bool(player.reasonForWaitingToPlay == .toMinimizeStalls)
        case "width", "height": return try size(item, name)
        case "container-fps":
            guard let rate = item?.nominalFrameRate, rate > 0 else { throw .propertyUnavailable }
            return .double(rate)
        case "video-codec": return try text(item?.videoCodec)
        case "audio-codec": return try text(item?.audioCodec)
        case "audio-device": return .string(player.audioOutputDeviceUniqueID.map { "alsa/" + $0 } ?? "auto")
        case "audio-device-list":
            let all = [("auto", "Autoselect device")] + Player.audioDevices.map { ("alsa/" + $0.name, $0.title) }
            return .array(all.map { .object(["name": .string($0), "description": .string($1)]) })
        case "avsync": return .double(player.statistics.synchronisation.offset)
        case "frame-drop-count": return .int(Int64(player.statistics.framesDropped))
        case "fullscreen": return .bool(now.isFullScreen)
        case "picture-in-picture": return .bool(now.isInPictureInPicture)
        case "picture-in-picture-possible": return .bool(now.isPictureInPicturePossible)
        case "picture-in-picture-stalled": return .bool(now.isPictureInPictureStalled)
        case "vo-frame-id": return .int(Int64(clamping: player.statistics.lastFrameID))
        case "idle-active", "core-idle": return .bool(name == "core-idle" ? player.timeControlStatus != .playing : item == nil)
        case "pid": return .int(Int64(getpid()))
        case "playlist-pos": return .int(Int64(now.position))
        case "playlist-count": return .int(Int64(now.files.count))
        case "playlist":
            return .array(now.files.enumerated().map { index, file in
                .object(index == now.position ? ["filename": .string(file), "current": true] : ["filename": .string(file)])
            })
        case "loop-file": return now.loop.property
        case "loop-playlist": return now.listLoop.property
        case "ab-loop-a": return now.abLoop.a.map { .double($0) } ?? .string("no")
        case "ab-loop-b": return now.abLoop.b.map { .double($0) } ?? .string("no")
        case "chapters": return .int(Int64(item?.chapters.count ?? 0))
        case "chapter":
            guard let item, !item.chapters.isEmpty else { throw .propertyUnavailable }
            return .int(Int64(ChapterPlace.index(at: player.currentTime().seconds, starts: item.chapters.map(\.timeRange.start.seconds))))
        case "chapter-list":
            return .array((item?.chapters ?? []).map { chapter in
                .object(["title": .string(chapter.title ?? ""), "time": .double(chapter.timeRange.start.seconds)])
            })
        case "seekable": return .bool(item?.isSeekable ?? false)
        default:
            if let value = try trackProperty(name) { return value }
            throw .propertyNotFound
        }
    }

    private func seconds(_ value: Double?) throws(IPCError) -> JSONValue {
        guard let value, value.isFinite else { throw .propertyUnavailable }
        return .double(value)
    }

    private func text(_ value: String?) throws(IPCError) -> JSONValue {
        guard let value else { throw .propertyUnavailable }
        return .string(value)
    }

    private func size(_ item: PlayerItem?, _ name: String) throws(IPCError) -> JSONValue {
        guard let size = item?.codedSize else { throw .propertyUnavailable }
        return .int(Int64(name == "width" ? size.width : size.height))
    }

    func setProperty(_ name: String, _ value: JSONValue) throws(IPCError) {
        switch name {
        case "pause":
            if try value.propertyFlag() { player.pause() } else { resume() }
        case "mute": player.isMuted = try value.propertyFlag()
        case "deinterlace":
            if case .string(let name) = value {
                guard let new = Player.Deinterlacing(name: name) else { throw .propertyFormat }
                player.deinterlacing = new
            } else {
                player.deinterlacing = try value.propertyFlag() ? .always : .never
            }
        case "audio-device":
            guard case .string(let name) = value, !name.isEmpty else { throw .propertyFormat }
            player.audioOutputDeviceUniqueID = PlayerApp.alsaName(name)
        case "volume":
            let volume = try value.propertyNumber(in: 0...130)
            facts.withLock { $0.volume = volume }
            player.volume = PlayerApp.amplitude(volume)
            onMain { $0.volume = volume }
        case "speed":
            let speed = Float(try value.propertyNumber(in: 0.01...100))
            player.defaultRate = speed
            if player.rate != 0 { player.rate = speed }
        case "time-pos", "playback-time":
            let time = try value.propertyNumber()
            onMain { $0.seek(to: time) }
        case "percent-pos":
            let part = try value.propertyNumber(in: 0...100)
            guard let duration = player.currentItem?.duration.seconds, duration.isFinite else { throw .propertyUnavailable }
            onMain { $0.seek(to: duration * part / 100) }
        case "fullscreen":
            let on = try value.propertyFlag()
            onMain { $0.screen?.window.isFullScreen = on }
        case "picture-in-picture":
            let on = try value.propertyFlag()
            guard !on || facts.withLock({ $0.isPictureInPicturePossible }) else { throw .propertyUnavailable }
            onMain { $0.setPictureInPicture(on) }
        case "chapter":
            guard let chapters = player.currentItem?.chapters, !chapters.isEmpty else { throw .propertyUnavailable }
            let index = Int(try value.propertyNumber(in: 0...Double(chapters.count - 1)))
            onMain { $0.seek(to: chapters[index].timeRange.start.seconds) }
        case "loop-file", "loop-playlist":
            guard let count = try LoopCount(value) else { throw .propertyFormat }
            onMain { app in
                if name == "loop-file" { app.loopsLeft = count } else { app.playlist.rounds = count.withoutFirst }
                app.queueNext()
            }
        case "ab-loop-a", "ab-loop-b":
            let time: Double? = if case .string("no") = value { nil } else { try value.propertyNumber(in: 0...1e9) }
            facts.withLock { if name == "ab-loop-a" { $0.abLoop.a = time } else { $0.abLoop.b = time } }
            onMain { app in
                if name == "ab-loop-a" { app.abLoop.a = time } else { app.abLoop.b = time }
                app.applyABLoop()
            }
        case "playlist-pos":
            let index = Int(try value.propertyNumber(in: 0...1e6))
            guard facts.withLock({ $0.files.indices.contains(index) }) else { throw .propertyFormat }
            onMain { app in if app.playlist.go(to: index) { app.playCurrent() } }
        default:
            if try setTrackProperty(name, value) { return }
            _ = try getProperty(name)
            throw .propertyError
        }
    }

    /// Plays on at once; from the end, from the beginning.
    private func resume() {
        if facts.withLock({ $0.eofReached }) { return onMain { $0.play() } }
        player.noteGesture()
        player.play()
    }

    // MARK: commands

    func run(_ command: String, _ arguments: [JSONValue]) throws(IPCError) -> JSONValue? {
        switch command {
        case "seek": try seek(arguments)
        case "loadfile":
            guard let file = try arguments.first?.argumentString() else { throw .invalidParameter }
            let mode = arguments.count > 1 && arguments[1] != .null ? try arguments[1].argumentString() : "replace"
            guard ["replace", "append", "append-play"].contains(mode) else { throw .invalidParameter }
            onMain { $0.load(file, mode) }
        case "stop": onMain { $0.stop() }
        case "quit":
            let code = arguments.isEmpty || arguments[0] == .null ? 0 : Int32(clamping: Int(min(max(try arguments[0].argumentNumber(), 0), 255)))
            PlayerWindow.disconnectDisplays(after: PlayerApp.displayPatience)
            onMain { $0.end(.played, reporting: code) }
        case "frame-step": player.step(byCount: 1)
        case "frame-back-step": player.step(byCount: -1)
        case _ where try runTrackCommand(command, arguments): break
        case "cycle":
            guard let name = try arguments.first?.argumentString() else { throw .invalidParameter }
            if name == "deinterlace" {
                let all = Player.Deinterlacing.allCases, place = all.firstIndex(of: player.deinterlacing) ?? 0
                player.deinterlacing = all[(place + 1) % all.count]
                break
            }
            guard case .bool(let now) = try getProperty(name) else { throw .invalidParameter }
            try setProperty(name, .bool(!now))
        case "add":
            guard let name = try arguments.first?.argumentString() else { throw .invalidParameter }
            let by = arguments.count > 1 ? try arguments[1].argumentNumber() : 1
            if name == "chapter" {
                onMain { $0.changeChapter(by: Int(min(max(by, -1000), 1000))) }
                return nil
            }
            guard case .double(let now) = try getProperty(name) else { throw .invalidParameter }
            try setProperty(name, .double(name == "volume" ? min(max(now + by, 0), 130) : now + by))
        case "playlist-next":
            guard facts.withLock({ $0.position + 1 < $0.files.count || $0.listLoop != .times(0) }) else { throw .commandFailed }
            onMain { app in if app.playlist.following != nil { app.advance() } }
        case "playlist-prev":
            guard facts.withLock({ $0.position > 0 }) else { throw .commandFailed }
            onMain { app in if app.playlist.goBack() { app.playCurrent() } }
        case "ab-loop":
            // Who asks for the points next is told the new ones.
            let time = player.currentTime().seconds
            facts.withLock { $0.abLoop.step(at: time) }
            onMain { $0.stepABLoop(at: time) }
        case "playlist-shuffle":
            onMain { app in
                var generator = SystemRandomNumberGenerator()
                app.playlist.shuffle(using: &generator, keepingCurrent: true)
                app.queueNext()
            }
        case "playlist-clear":
            onMain { app in
                app.playlist.clear()
                app.queueNext()
            }
        default: throw .invalidParameter
        }
        return nil
    }

    private func seek(_ arguments: [JSONValue]) throws(IPCError) {
        guard let target = try arguments.first?.argumentNumber() else { throw .invalidParameter }
        let words = arguments.count > 1 && arguments[1] != .null ? try arguments[1].argumentString() : "relative"
        var flags = Set(words.split(separator: "+").map(String.init))
        if arguments.count > 2, arguments[2] != .null { flags.formUnion(try arguments[2].argumentString().split(separator: "+").map(String.init)) }
        let known: Set = ["relative", "absolute", "relative-percent", "absolute-percent", "exact", "keyframes"]
        guard flags.isSubset(of: known) else { throw .invalidParameter }
        guard let item = player.currentItem, item.status != .readyToPlay || item.isSeekable else { throw .commandFailed }
        let duration = item.duration.seconds
        let precisely = !flags.contains("keyframes")
        let time: Double
        if flags.contains("absolute") {
            time = target < 0 && duration.isFinite ? duration + target : target
        } else if flags.contains("absolute-percent") || flags.contains("relative-percent") {
            guard duration.isFinite else { throw .commandFailed }
            time = duration * target / 100 + (flags.contains("relative-percent") ? player.currentTime().seconds : 0)
        } else {
            time = player.currentTime().seconds + target
        }
        // Straight to the player, which any thread may use: the main queue has nothing to do with it.
        facts.withLock { $0.eofReached = false }
        onMain { $0.eofReached = false }
        let end = duration.isFinite ? duration : .greatestFiniteMagnitude
        player.seek(
            to: MediaTime(seconds: min(max(0, time), end)), toleranceBefore: precisely ? .zero : .positiveInfinity, toleranceAfter: .zero)
    }
}
