import DesktopBus
import Glibc
import Synchronization
import SystemCalls

/// A player that is published over MPRIS as long as this object exists. Used on the thread "now playing".
final class PublishedPlayer {
    /// The object path of the player on the bus, fixed by MPRIS.
    static let objectPath = "/org/mpris/MediaPlayer2"
    /// The MPRIS interface whose property changes are signaled.
    private static let playerInterfaceName = "org.mpris.MediaPlayer2.Player"
    /// The number of items that this process has published so far.
    private static let publishedTrackCount = Atomic<UInt64>(0)

    let service: NowPlayingService
    let connection: BusConnection
    /// The number that distinguishes this player's bus name from the names of other players of the process.
    private let busNameNumber: BusNameNumber
    /// The registration of the player's object on the bus.
    private var objectRegistration: BusSlot?
    /// The MPRIS property values that were published last.
    private var publishedProperties: [String: BusValue] = [:]
    /// The item that ``trackNumber`` identifies.
    private weak var publishedItem: PlayerItem?
    /// The number that identifies the current item within this process.
    private var trackNumber: UInt64 = 0
    /// The program's list, as far as the desktop receives it.
    var trackList = TrackList()
    /// The file with the cover of ``publishedItem``; nil if it has none.
    private var artworkFile: ArtworkFile?
    /// Corrects the position that the desktop shows while the player waits for media.
    private var positionCorrection = PositionCorrection()

    /// Publishes the player of a service on the service's bus.
    init(_ service: NowPlayingService) throws(BusFailure) {
        self.service = service
        do throws(BusError) {
            connection = try BusConnection(address: service.busAddress)
            busNameNumber = BusNameNumber(onBus: service.busAddress ?? "")
            // The bus name of the first player ends with the process number; later players append their own number.
            let suffix = busNameNumber.value == 0 ? "" : "_\(busNameNumber.value)"
            let name = "org.mpris.MediaPlayer2.swiftplay.instance\(getpid())" + suffix
            _ = updateTrackList()
            publishedProperties = state.properties
            let interfaces = [programInterface, playerInterface] + (hasTrackList ? [trackListInterface] : [])
            objectRegistration = try connection.export(BusObject(interfaces), at: Self.objectPath)
            try connection.requestName(name) { _ in }
        } catch { throw BusFailure(reason: "\(error)") }
    }

    /// The descriptor of the bus connection, which the thread polls.
    var descriptor: Int32 { connection.descriptor }
    /// The events of ``descriptor`` for which the thread must wait.
    var events: Poll.Events { connection.events }
    /// The host time at which ``process()`` must be called at the latest; nil if there is no such time.
    var deadline: Int64? { [connection.deadline, positionCorrection.deadline].compactMap(\.self).min() }

    /// Sends and handles pending D-Bus messages, and sends the position while the player waits for media.
    func process() throws(BusFailure) {
        let isWaiting = service.player.isBuffering && service.player.rate != 0
        let sendsPosition = positionCorrection.update(isWaiting: isWaiting, at: MonotonicTime.now)
        do throws(BusError) {
            if sendsPosition { try emitPosition() }
            try connection.process()
        } catch { throw BusFailure(reason: "\(error)") }
    }

    /// Signals the properties that have changed since the last call, and a jump of the position.
    func publishChanges(hasTimeJumped: Bool) throws(BusFailure) {
        let hasListChanged = updateTrackList()
        let properties = state.properties
        let changedProperties = properties.filter { publishedProperties[$0.key] != $0.value }
        publishedProperties = properties
        do throws(BusError) {
            if !changedProperties.isEmpty {
                try connection.emitChanges(changedProperties, of: Self.playerInterfaceName, at: Self.objectPath)
            }
            if hasListChanged { try emitTrackList() }
            if hasTimeJumped { try emitPosition() }
        } catch { throw BusFailure(reason: "\(error)") }
    }

    /// Sends the position to the desktop, which shows another position (MPRIS signal `Seeked`).
    private func emitPosition() throws(BusError) {
        try connection.emit("Seeked", of: Self.playerInterfaceName, at: Self.objectPath, [.int64(position)])
    }

    // MARK: State

    /// The player's present state in the terms of MPRIS.
    var state: NowPlayingState {
        let player = service.player, programSettings = service.programSettings, currentItem = player.currentItem
        if currentItem !== publishedItem || trackNumber == 0 {
            publishedItem = currentItem
            trackNumber = Self.makeTrackNumber()
        }
        if artworkFile?.artwork !== currentItem?.artwork {
            artworkFile = currentItem?.artwork.map { ArtworkFile($0, number: Self.makeTrackNumber()) }
        }
        var state = NowPlayingState()
        state.track = currentItem.map { track(of: $0) }
        state.isPlaying = player.rate != 0
        state.isStopped = service.isStopped
        // Round to millionths: converting to `Float` and back must not change a value that another program has set.
        state.rate = Self.roundedToMillionths(Double(player.rate != 0 ? player.rate : max(player.defaultRate, 0.01)))
        state.volume = Self.roundedToMillionths(cbrt(Double(player.volume)))
        (state.repeatType, state.isShuffled) = (programSettings.repeatType, programSettings.isShuffled)
        let queuedItemCount = (player as? QueuePlayer)?.items().count ?? 0
        state.canGoToNextTrack = programSettings.canGoToNextTrack ?? (queuedItemCount > 1)
        state.canGoToPreviousTrack = programSettings.canGoToPreviousTrack ?? false
        state.canSeek = currentItem?.isSeekable ?? false
        return state
    }

    /// Returns a number that no other item of this process has.
    static func makeTrackNumber() -> UInt64 { publishedTrackCount.add(1, ordering: .relaxed).newValue }

    /// Returns a number rounded to millionths.
    private static func roundedToMillionths(_ number: Double) -> Double { (number * 1e6).rounded() / 1e6 }

    /// Returns the MPRIS description of an item.
    private func track(of item: PlayerItem) -> NowPlayingState.Track {
        func tag(_ key: String) -> String? {
            (item.externalMetadata + item.metadata).first { $0.key == key }?.stringValue
        }
        return NowPlayingState.Track(
            number: trackList.number(of: item.location) ?? trackNumber,
            title: item.title ?? item.displayedName,
            artist: tag(MetadataItem.Key.artist), album: tag(MetadataItem.Key.album),
            length: item.duration.nanoseconds.map { $0 / 1000 },
            address: NowPlayingState.address(of: item.location), artAddress: artworkFile?.address)
    }

    /// The player's position on the item's timeline, in microseconds.
    private var position: Int64 { max(0, (service.player.currentTime().nanoseconds ?? 0) / 1000) }

    // MARK: Exported interfaces

    /// The MPRIS interface that describes the program.
    private var programInterface: BusInterface {
        let service = service
        func constantProperty(_ name: String, _ type: String, _ value: BusValue) -> BusInterface.Property {
            .init(name, type) { value }
        }
        return BusInterface(
            "org.mpris.MediaPlayer2",
            methods: [
                .init("Raise") { _ in
                    if service.programSettings.canRaise { service.perform(.raise) }
                    return []
                },
                .init("Quit") { _ in
                    if service.programSettings.canQuit { service.perform(.quit) }
                    return []
                },
            ],
            properties: [
                .init("CanQuit", "b") { .bool(service.programSettings.canQuit) },
                .init("CanRaise", "b") { .bool(service.programSettings.canRaise) },
                constantProperty("HasTrackList", "b", .bool(hasTrackList)),
                constantProperty("DesktopEntry", "s", .string(service.programSettings.desktopEntry ?? "")),
                constantProperty("Identity", "s", .string(service.name)),
                constantProperty("SupportedUriSchemes", "as", .strings(["file", "http", "https"])),
                constantProperty("SupportedMimeTypes", "as", .strings(MediaTypes.all)),
            ])
    }

    /// The MPRIS interface that describes and controls the player.
    private var playerInterface: BusInterface {
        let service = service
        func commandMethod(_ name: String, _ command: NowPlayingSession.Command) -> BusInterface.Method {
            .init(name) { _ in
                service.perform(command)
                return []
            }
        }
        return BusInterface(
            Self.playerInterfaceName,
            methods: [
                commandMethod("Play", .play), commandMethod("Pause", .pause),
                commandMethod("PlayPause", .togglePlayPause),
                commandMethod("Stop", .stop),
                commandMethod("Next", .nextTrack), commandMethod("Previous", .previousTrack),
                .init("Seek", [.init("Offset", "x")]) { [unowned self] arguments in
                    seek(by: arguments[0].integer ?? 0)
                    return []
                },
                .init("SetPosition", [.init("TrackId", "o"), .init("Position", "x")]) { [unowned self] arguments in
                    setPosition(arguments[0].text, arguments[1].integer ?? -1)
                    return []
                },
                .init("OpenUri", [.init("Uri", "s")]) { arguments throws(BusError) in
                    guard let location = NowPlayingState.location(of: arguments[0].text ?? "") else {
                        throw BusError(BusError.invalidArguments, "only file, http and https addresses are supported")
                    }
                    service.perform(.open(location))
                    return []
                },
            ],
            properties: readOnlyProperties + writableProperties, signals: [.init("Seeked", [.init("Position", "x")])])
    }

    /// The MPRIS properties of the player that other programs may only read.
    private var readOnlyProperties: [BusInterface.Property] {
        let types = [
            "PlaybackStatus": "s", "Metadata": "a{sv}", "CanGoNext": "b", "CanGoPrevious": "b", "CanPlay": "b",
            "CanPause": "b", "CanSeek": "b",
        ]
        let stateProperties = types.sorted { $0.key < $1.key }.map { name, type in
            BusInterface.Property(name, type) { [unowned self] in propertyValue(name) }
        }
        return stateProperties + [
            .init("Position", "x", emitsChanges: false) { [unowned self] in .int64(position) },
            .init("MinimumRate", "d") { .double(0.01) },
            .init("MaximumRate", "d") { .double(100) }, .init("CanControl", "b") { .bool(true) },
        ]
    }

    /// The MPRIS properties of the player that other programs may set.
    private var writableProperties: [BusInterface.Property] {
        let service = service
        return [
            .init("LoopStatus", "s", { [unowned self] in propertyValue("LoopStatus") }) { value throws(BusError) in
                guard let repeatType = NowPlayingState.repeatType(named: value.text) else {
                    throw BusError(BusError.invalidArguments, "LoopStatus must be None, Track or Playlist")
                }
                service.perform(.changeRepeatMode(repeatType))
            },
            .init("Shuffle", "b", { [unowned self] in propertyValue("Shuffle") }) { value in
                guard service.programSettings.isShuffled != nil, let isShuffled = value.boolean else { return }
                service.perform(.changeShuffleMode(isShuffled))
            },
            .init("Rate", "d", { [unowned self] in propertyValue("Rate") }) { value in
                let rate = Player.bounded(Float(value.number ?? 1))
                // MPRIS defines a rate of 0 as a pause.
                service.perform(rate == 0 ? .pause : .changePlaybackRate(rate))
            },
            .init("Volume", "d", { [unowned self] in propertyValue("Volume") }) { value in
                if let volume = value.number, volume.isFinite { service.perform(.changeVolume(max(0, volume))) }
            },
        ]
    }

    /// Returns the present value of an MPRIS property.
    private func propertyValue(_ name: String) -> BusValue { state.properties[name] ?? .string("") }

    /// Seeks by an interval, which is negative for a seek backward. A seek beyond the end goes to the next track.
    private func seek(by microseconds: Int64) {
        let state = state
        guard state.canSeek else { return }
        if let length = state.track?.length, state.canGoToNextTrack, microseconds > length - position {
            return service.perform(.nextTrack)
        }
        service.perform(.skip(by: NowPlayingState.time(microseconds)))
    }

    /// Seeks to a position. A position in another track, or outside of the track, is ignored.
    private func setPosition(_ track: String?, _ microseconds: Int64) {
        let state = state
        guard state.canSeek, track == state.trackID, state.track != nil,
            0...(state.track?.length ?? .max) ~= microseconds
        else { return }
        service.perform(.changePlaybackPosition(NowPlayingState.time(microseconds)))
    }
}
