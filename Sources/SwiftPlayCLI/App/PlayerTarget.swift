import Dispatch
import Glibc
import SwiftPlayKit
import SystemCalls

/// The object through which the JSON IPC server controls the player. The server's thread calls its methods, which
/// access the thread-safe player directly and dispatch other work to the main queue.
final class PlayerTarget: IPCTarget {
    /// A snapshot of the program's state that belongs to the main queue.
    struct State: Sendable {
        /// The volume in percent on mpv's scale, 0 to 130.
        var volume = 100.0
        var isFullScreen = false
        var isInPictureInPicture = false
        var isPictureInPicturePossible = false
        var isPictureInPictureStalled = false
        /// Whether the current file has played to its end and is still shown.
        var isAtEnd = false
        /// The index of the current file in ``files``, from 0.
        var playlistPosition = 0
        /// The files of the playlist.
        var files: [String] = []
        /// The number of further repetitions of the current file.
        var fileLoop = LoopCount.times(0)
        /// The number of further repetitions of the playlist.
        var playlistLoop = LoopCount.times(0)
        var abLoop = ABLoop()
    }

    /// A weak reference to the program object.
    private struct AppReference: Sendable { weak var app: PlayerApp? }

    let player: Player
    /// The running program, as a weak reference.
    private let appReference = Monitor(AppReference())
    /// The snapshot of the program's state, which the main queue updates.
    let state = Monitor(State())

    init(player: Player) { self.player = player }

    /// The running program; nil before it is set and after it was released.
    var app: PlayerApp? {
        get { appReference.withLock { $0.app } }
        set { appReference.withLock { $0.app = newValue } }
    }

    /// Calls `body` on the main queue, unless the program is ending.
    func runOnMainQueue(_ body: @escaping @MainActor @Sendable (PlayerApp) -> Void) {
        DispatchQueue.main.async { [weak self] in
            MainActor.assumeIsolated {
                guard let app = self?.app, !app.isEnding else { return }
                body(app)
                app.propertiesMayHaveChanged()
            }
        }
    }

    // MARK: Properties

    func getProperty(_ name: String) throws(IPCError) -> JSONValue {
        let item = player.currentItem
        let programState = state.withLock { $0 }
        switch name {
        case "pause": return .bool(player.rate == 0)
        case "time-pos", "playback-time":
            return try secondsValue(item?.status == .readyToPlay ? player.currentTime().seconds : nil)
        case "duration": return try secondsValue(item?.duration.seconds)
        case "time-remaining":
            guard let duration = item?.duration.seconds else { throw .propertyUnavailable }
            return try secondsValue(duration - player.currentTime().seconds)
        case "percent-pos":
            guard let duration = item?.duration.seconds, duration > 0 else { throw .propertyUnavailable }
            return try secondsValue(min(100, max(0, player.currentTime().seconds / duration * 100)))
        case "volume": return .double(programState.volume)
        case "mute": return .bool(player.isMuted)
        case "speed": return .double(Double(player.defaultRate))
        case "deinterlace": return .string(player.deinterlacing.name)
        case "path": return try textValue(item?.location)
        case "filename": return try textValue(item?.location.split(separator: "/").last.map(String.init))
        case "media-title":
            return try textValue(item.flatMap { $0.title ?? $0.location.split(separator: "/").last.map(String.init) })
        case "eof-reached": return .bool(programState.isAtEnd)
        case "seeking": return .bool(player.isSeeking)
        case "paused-for-cache": return .bool(player.reasonForWaitingToPlay == .toMinimizeStalls)
        case "width", "height": return try videoSizeValue(item, name)
        case "container-fps":
            guard let rate = item?.nominalFrameRate, rate > 0 else { throw .propertyUnavailable }
            return .double(rate)
        case "video-codec": return try textValue(item?.videoCodec)
        case "audio-codec": return try textValue(item?.audioCodec)
        case "audio-device": return .string(player.audioOutputDeviceUniqueID.map { "alsa/" + $0 } ?? "auto")
        case "audio-device-list":
            let devices = [("auto", "Autoselect device")] + Player.audioDevices.map { ("alsa/" + $0.name, $0.title) }
            return .array(devices.map { .object(["name": .string($0), "description": .string($1)]) })
        case "avsync": return .double(player.statistics.synchronisation.offset)
        case "frame-drop-count": return .int(Int64(player.statistics.framesDropped))
        case "fullscreen": return .bool(programState.isFullScreen)
        case "picture-in-picture": return .bool(programState.isInPictureInPicture)
        case "picture-in-picture-possible": return .bool(programState.isPictureInPicturePossible)
        case "picture-in-picture-stalled": return .bool(programState.isPictureInPictureStalled)
        case "vo-frame-id": return .int(Int64(clamping: player.statistics.lastFrameID))
        case "idle-active", "core-idle":
            return .bool(name == "core-idle" ? player.timeControlStatus != .playing : item == nil)
        case "pid": return .int(Int64(getpid()))
        case "playlist-pos": return .int(Int64(programState.playlistPosition))
        case "playlist-count": return .int(Int64(programState.files.count))
        case "playlist":
            return .array(
                programState.files.enumerated().map { index, file in
                    .object(
                        index == programState.playlistPosition
                            ? ["filename": .string(file), "current": true] : ["filename": .string(file)])
                })
        case "loop-file": return programState.fileLoop.propertyValue
        case "loop-playlist": return programState.playlistLoop.propertyValue
        case "ab-loop-a": return programState.abLoop.a.map { .double($0) } ?? .string("no")
        case "ab-loop-b": return programState.abLoop.b.map { .double($0) } ?? .string("no")
        case "chapters": return .int(Int64(item?.chapters.count ?? 0))
        case "chapter":
            guard let item, !item.chapters.isEmpty else { throw .propertyUnavailable }
            return .int(
                Int64(
                    ChapterIndex.index(
                        at: player.currentTime().seconds, starts: item.chapters.map(\.timeRange.start.seconds))))
        case "chapter-list":
            return .array(
                (item?.chapters ?? []).map { chapter in
                    .object(["title": .string(chapter.title ?? ""), "time": .double(chapter.timeRange.start.seconds)])
                })
        case "seekable": return .bool(item?.isSeekable ?? false)
        default:
            if let value = try trackProperty(name) { return value }
            if let value = programProperty(name) { return value }
            if let value = try streamProperty(name) { return value }
            throw .propertyNotFound
        }
    }

    /// Returns a number of seconds as a JSON value; throws `propertyUnavailable` if the number is nil or not finite.
    private func secondsValue(_ value: Double?) throws(IPCError) -> JSONValue {
        guard let value, value.isFinite else { throw .propertyUnavailable }
        return .double(value)
    }

    /// Returns a text as a JSON value; throws `propertyUnavailable` if the text is nil.
    private func textValue(_ value: String?) throws(IPCError) -> JSONValue {
        guard let value else { throw .propertyUnavailable }
        return .string(value)
    }

    /// Returns the width of the decoded video if `name` is `width`, otherwise the height.
    private func videoSizeValue(_ item: PlayerItem?, _ name: String) throws(IPCError) -> JSONValue {
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
                guard let mode = Player.Deinterlacing(name: name) else { throw .propertyFormat }
                player.deinterlacing = mode
            } else {
                player.deinterlacing = try value.propertyFlag() ? .always : .never
            }
        case "audio-device":
            guard case .string(let name) = value, !name.isEmpty else { throw .propertyFormat }
            player.audioOutputDeviceUniqueID = PlayerApp.alsaName(name)
        case "volume":
            let volume = try value.propertyNumber(in: 0...130)
            state.withLock { $0.volume = volume }
            player.volume = PlayerApp.amplitude(volume)
            runOnMainQueue { $0.volume = volume }
        case "speed":
            let speed = Float(try value.propertyNumber(in: 0.01...100))
            player.defaultRate = speed
            if player.rate != 0 { player.rate = speed }
        case "time-pos", "playback-time":
            let time = try value.propertyNumber()
            runOnMainQueue { $0.seek(to: time) }
        case "percent-pos":
            let percent = try value.propertyNumber(in: 0...100)
            guard let duration = player.currentItem?.duration.seconds, duration.isFinite else {
                throw .propertyUnavailable
            }
            runOnMainQueue { $0.seek(to: duration * percent / 100) }
        case "fullscreen":
            let isFullScreen = try value.propertyFlag()
            runOnMainQueue { $0.viewController?.window.isFullScreen = isFullScreen }
        case "picture-in-picture":
            let isActive = try value.propertyFlag()
            guard !isActive || state.withLock({ $0.isPictureInPicturePossible }) else { throw .propertyUnavailable }
            runOnMainQueue { $0.setPictureInPicture(isActive) }
        case "chapter":
            guard let chapters = player.currentItem?.chapters, !chapters.isEmpty else { throw .propertyUnavailable }
            let index = Int(try value.propertyNumber(in: 0...Double(chapters.count - 1)))
            runOnMainQueue { $0.seek(to: chapters[index].timeRange.start.seconds) }
        case "loop-file", "loop-playlist":
            guard let count = try LoopCount(value) else { throw .propertyFormat }
            runOnMainQueue { app in
                if name == "loop-file" {
                    app.loopsLeft = count
                } else {
                    app.playlist.remainingRounds = count.withoutFirstPlayback
                }
                app.queueNextItem()
            }
        case "ab-loop-a", "ab-loop-b":
            let time: Double? = if case .string("no") = value { nil } else { try value.propertyNumber(in: 0...1e9) }
            state.withLock { if name == "ab-loop-a" { $0.abLoop.a = time } else { $0.abLoop.b = time } }
            runOnMainQueue { app in
                if name == "ab-loop-a" { app.abLoop.a = time } else { app.abLoop.b = time }
                app.applyABLoop()
            }
        case "playlist-pos":
            let index = Int(try value.propertyNumber(in: 0...1e6))
            guard state.withLock({ $0.files.indices.contains(index) }) else { throw .propertyFormat }
            runOnMainQueue { app in if app.playlist.go(to: index) { app.playCurrentFile() } }
        default:
            if try setTrackProperty(name, value) { return }
            if try setStreamProperty(name, value) { return }
            _ = try getProperty(name)
            throw .propertyError
        }
    }

    /// Resumes playback immediately; at the end of the file, plays from the beginning.
    private func resume() {
        if state.withLock({ $0.isAtEnd }) { return runOnMainQueue { $0.play() } }
        player.recordUserRequest()
        player.play()
    }
}
