import DesktopBus
import Glibc
import Synchronization
import SystemCalls

/// A player on the bus, published as long as this object exists. Used on the thread "now playing".
final class PublishedPlayer {
    private static let path = "/org/mpris/MediaPlayer2"
    private static let interface = "org.mpris.MediaPlayer2.Player"
    private static let trackNumbers = Atomic<UInt64>(0)

    private let service: NowPlayingService
    private let connection: BusConnection
    private let number: PublishedNumber
    private var slot: BusSlot?
    private var told: [String: BusValue] = [:]
    private weak var item: PlayerItem?
    private var trackNumber: UInt64 = 0

    init(_ service: NowPlayingService) throws(BusFailure) {
        self.service = service
        do throws(BusError) {
            connection = try BusConnection(address: service.busAddress)
            number = PublishedNumber(onBus: service.busAddress ?? "")
            // The first name has only the process number.
            let suffix = number.value == 0 ? "" : "_\(number.value)"
            let name = "org.mpris.MediaPlayer2.swiftplay.instance\(getpid())" + suffix
            slot = try connection.export(BusObject([root, player]), at: Self.path)
            told = facts.properties
            try connection.requestName(name) { _ in }
        } catch { throw BusFailure(reason: "\(error)") }
    }

    var descriptor: Int32 { connection.descriptor }
    var events: Poll.Events { connection.events }
    var deadline: Int64? { connection.deadline }

    func process() throws(BusFailure) {
        do throws(BusError) {
            try connection.process()
        } catch { throw BusFailure(reason: "\(error)") }
    }

    /// Sends the changes since the last call.
    func tell(hasJumped: Bool) throws(BusFailure) {
        let now = facts.properties
        let changes = now.filter { told[$0.key] != $0.value }
        told = now
        do throws(BusError) {
            if !changes.isEmpty { try connection.emitChanges(changes, of: Self.interface, at: Self.path) }
            if hasJumped { try connection.emit("Seeked", of: Self.interface, at: Self.path, [.int64(position)]) }
        } catch { throw BusFailure(reason: "\(error)") }
    }

    // MARK: Facts

    private var facts: NowPlayingFacts {
        let player = service.player, program = service.program, current = player.currentItem
        if current !== item || trackNumber == 0 {
            item = current
            trackNumber = Self.trackNumbers.add(1, ordering: .relaxed).newValue
        }
        var facts = NowPlayingFacts()
        facts.track = current.map { track(of: $0) }
        facts.isPlaying = player.rate != 0
        facts.isStopped = service.isStopped
        // Rounds, so that a value that was set is returned unchanged.
        facts.rate = Self.rounded(Double(player.rate != 0 ? player.rate : max(player.defaultRate, 0.01)))
        facts.volume = Self.rounded(cbrt(Double(player.volume)))
        facts.repeatType = program.repeatType
        facts.canGoToNextTrack = program.canGoToNextTrack ?? (((player as? QueuePlayer)?.items().count ?? 0) > 1)
        facts.canGoToPreviousTrack = program.canGoToPreviousTrack ?? false
        facts.canSeek = current?.isSeekable ?? false
        return facts
    }

    private static func rounded(_ number: Double) -> Double { (number * 1e6).rounded() / 1e6 }

    private func track(of item: PlayerItem) -> NowPlayingFacts.Track {
        func text(_ key: String) -> String? {
            (item.externalMetadata + item.metadata).first { $0.key == key }?.stringValue
        }
        return NowPlayingFacts.Track(
            number: trackNumber,
            title: item.title ?? item.location.split(separator: "/").last.map(String.init) ?? item.location,
            artist: text(MetadataItem.Key.artist), album: text(MetadataItem.Key.album),
            length: item.duration.nanoseconds.map { $0 / 1000 },
            address: NowPlayingFacts.address(of: item.location))
    }

    /// The position in microseconds.
    private var position: Int64 { max(0, (service.player.currentTime().nanoseconds ?? 0) / 1000) }

    // MARK: What can be called

    private var root: BusInterface {
        let service = service
        func fixed(_ name: String, _ type: String, _ value: BusValue) -> BusInterface.Property {
            .init(name, type) { value }
        }
        return BusInterface(
            "org.mpris.MediaPlayer2",
            methods: [
                .init("Raise") { _ in [] },
                .init("Quit") { _ in
                    if service.program.canQuit { service.ask(.quit) }
                    return []
                },
            ],
            properties: [
                .init("CanQuit", "b") { .bool(service.program.canQuit) }, fixed("CanRaise", "b", .bool(false)),
                fixed("HasTrackList", "b", .bool(false)), fixed("Identity", "s", .string(service.name)),
                fixed("SupportedUriSchemes", "as", .strings(["file", "http", "https"])),
                fixed(
                    "SupportedMimeTypes", "as",
                    .strings([
                        "video/mp4", "video/x-matroska", "video/webm", "video/quicktime", "video/mpeg", "video/mp2t",
                        "video/x-msvideo", "video/ogg",
                        "audio/mpeg", "audio/mp4", "audio/flac", "audio/ogg", "audio/x-wav", "audio/aac",
                        "application/vnd.apple.mpegurl",
                    ])),
            ])
    }

    private var player: BusInterface {
        let service = service
        func plain(_ name: String, _ command: NowPlayingSession.Command) -> BusInterface.Method {
            .init(name) { _ in
                service.ask(command)
                return []
            }
        }
        return BusInterface(
            Self.interface,
            methods: [
                plain("Play", .play), plain("Pause", .pause), plain("PlayPause", .togglePlayPause),
                plain("Stop", .stop),
                plain("Next", .nextTrack), plain("Previous", .previousTrack),
                .init("Seek", [.init("Offset", "x")]) { [unowned self] arguments in
                    seek(by: arguments[0].integer ?? 0)
                    return []
                },
                .init("SetPosition", [.init("TrackId", "o"), .init("Position", "x")]) { [unowned self] arguments in
                    setPosition(arguments[0].text, arguments[1].integer ?? -1)
                    return []
                },
                .init("OpenUri", [.init("Uri", "s")]) { arguments throws(BusError) in
                    guard let location = NowPlayingFacts.location(of: arguments[0].text ?? "") else {
                        throw BusError(BusError.invalidArguments, "file, http and https addresses can be opened")
                    }
                    service.ask(.open(location))
                    return []
                },
            ],
            properties: readable + writable, signals: [.init("Seeked", [.init("Position", "x")])])
    }

    private var readable: [BusInterface.Property] {
        let types = [
            "PlaybackStatus": "s", "Metadata": "a{sv}", "CanGoNext": "b", "CanGoPrevious": "b", "CanPlay": "b",
            "CanPause": "b", "CanSeek": "b",
        ]
        let known = types.sorted { $0.key < $1.key }.map { name, type in
            BusInterface.Property(name, type) { [unowned self] in fact(name) }
        }
        return known + [
            .init("Position", "x", announces: false) { [unowned self] in .int64(position) },
            .init("MinimumRate", "d") { .double(0.01) },
            .init("MaximumRate", "d") { .double(100) }, .init("CanControl", "b") { .bool(true) },
        ]
    }

    private var writable: [BusInterface.Property] {
        let service = service
        return [
            .init("LoopStatus", "s", { [unowned self] in fact("LoopStatus") }) { value throws(BusError) in
                guard let type = NowPlayingFacts.repeatType(named: value.text) else {
                    throw BusError(BusError.invalidArguments, "LoopStatus is None, Track or Playlist")
                }
                service.ask(.changeRepeatMode(type))
            },
            .init("Rate", "d", { [unowned self] in fact("Rate") }) { value in
                let rate = Player.bounded(Float(value.number ?? 1))
                // MPRIS defines a rate of 0 as a pause.
                service.ask(rate == 0 ? .pause : .changePlaybackRate(rate))
            },
            .init("Volume", "d", { [unowned self] in fact("Volume") }) { value in
                if let volume = value.number, volume.isFinite { service.ask(.changeVolume(max(0, volume))) }
            },
        ]
    }

    private func fact(_ name: String) -> BusValue { facts.properties[name] ?? .string("") }

    /// A seek beyond the end goes to the next track.
    private func seek(by microseconds: Int64) {
        let facts = facts
        guard facts.canSeek else { return }
        if let length = facts.track?.length, facts.canGoToNextTrack, microseconds > length - position {
            return service.ask(.nextTrack)
        }
        service.ask(.skip(by: NowPlayingFacts.time(microseconds)))
    }

    /// A position in another track, or outside of the track, is ignored.
    private func setPosition(_ track: String?, _ microseconds: Int64) {
        let facts = facts
        guard facts.canSeek, track == facts.trackID, facts.track != nil,
            0...(facts.track?.length ?? .max) ~= microseconds
        else { return }
        service.ask(.changePlaybackPosition(NowPlayingFacts.time(microseconds)))
    }
}
