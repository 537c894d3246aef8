import DesktopBus
import MediaPipeline

/// The MPRIS interface `TrackList`: the items of the program's list, which the user can select but not change.
extension PublishedPlayer {
    private static let trackListInterfaceName = "org.mpris.MediaPlayer2.TrackList"

    /// Whether the program publishes its list.
    var hasTrackList: Bool { service.programSettings.queue != nil }

    /// Takes over the program's list; returns whether the items for the desktop have changed.
    func updateTrackList() -> Bool {
        let settings = service.programSettings
        guard let queue = settings.queue else { return false }
        return trackList.update(queue, index: settings.queueIndex) { Self.makeTrackNumber() }
    }

    /// Signals that the list has changed.
    func emitTrackList() throws(BusError) {
        try connection.emit(
            "TrackListReplaced", of: Self.trackListInterfaceName, at: Self.objectPath,
            [trackIDs, .objectPath(state.trackID)])
    }

    /// The object paths of the items, in the order of the list.
    private var trackIDs: BusValue {
        .array(of: "o", trackList.tracks.map { .objectPath(NowPlayingState.trackID(of: $0.number)) })
    }

    /// The interface that describes the list.
    var trackListInterface: BusInterface {
        let service = service
        return BusInterface(
            Self.trackListInterfaceName,
            methods: [
                .init("GetTracksMetadata", [.init("TrackIds", "ao")], results: [.init("Metadata", "aa{sv}")]) {
                    [unowned self] arguments in
                    let tracks = trackList.tracks(withIDs: (arguments[0].elements ?? []).map(\.text))
                    return [.array(of: "a{sv}", tracks.map { .dictionary(metadata(of: $0)) })]
                },
                // MPRIS requires that `AddTrack` and `RemoveTrack` have no effect, because the list cannot be changed
                // (`CanEditTracks`).
                .init(
                    "AddTrack", [.init("Uri", "s"), .init("AfterTrack", "o"), .init("SetAsCurrent", "b")]
                ) { _ in [] },
                .init("RemoveTrack", [.init("TrackId", "o")]) { _ in [] },
                .init("GoTo", [.init("TrackId", "o")]) { [unowned self] arguments in
                    if let track = trackList.track(withID: arguments[0].text) {
                        service.perform(.goToQueueItem(track.index))
                    }
                    return []
                },
            ],
            properties: [
                // The property emits no change signals, because the signal `TrackListReplaced` reports changes of the
                // list.
                .init("Tracks", "ao", emitsChanges: false) { [unowned self] in trackIDs },
                .init("CanEditTracks", "b") { .bool(false) },
            ],
            signals: [.init("TrackListReplaced", [.init("Tracks", "ao"), .init("CurrentTrack", "o")])])
    }

    /// Returns the MPRIS metadata of an item: all of the current item, and name and address of the others.
    private func metadata(of track: TrackList.Track) -> [String: BusValue] {
        var state = state
        if state.track?.number != track.number {
            state.track = NowPlayingState.Track(
                number: track.number, title: MediaLocation.displayedName(track.location),
                address: NowPlayingState.address(of: track.location))
        }
        return state.metadata
    }
}
