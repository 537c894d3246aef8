/// The part of the program's list that the desktop receives (MPRIS `TrackList`), with a number for each item. A pure
/// value.
struct TrackList: Equatable, Sendable {
    /// An item of the list.
    struct Track: Equatable, Sendable {
        /// The number that identifies the item within this process.
        let number: UInt64
        /// The path or address of the item.
        let location: String
        /// The index of the item in the program's list.
        let index: Int
    }

    /// The maximum number of items that the desktop receives: MPRIS recommends a part around the current item.
    static let limit = 500
    /// The maximum number of items before the current one.
    static let precedingLimit = 100

    /// The items around the current one, in the order of the list.
    private(set) var tracks: [Track] = []
    /// The list of the last update, and the index of its current item.
    private var source: (queue: [String], index: Int) = ([], 0)

    /// Takes over the program's list. Items that were in the list before keep their numbers.
    ///
    /// - Parameter makeNumber: Returns an unused number.
    /// - Returns: Whether the items have changed.
    mutating func update(_ queue: [String], index: Int, makeNumber: () -> UInt64) -> Bool {
        guard index != source.index || queue != source.queue else { return false }
        source = (queue, index)
        let start = max(0, min(index - Self.precedingLimit, queue.count - Self.limit))
        // An item that is in the list several times has one number for each place.
        var numbers = Dictionary(grouping: tracks.reversed(), by: \.location)
        let oldTracks = tracks
        tracks = queue[start..<min(start + Self.limit, queue.count)].enumerated().map { offset, location in
            let number = numbers[location]?.popLast()?.number ?? makeNumber()
            return Track(number: number, location: location, index: start + offset)
        }
        return tracks != oldTracks
    }

    /// The number of the item at `location` that is the current one, or else of the first one with this location; nil
    /// if the list does not contain it.
    func number(of location: String) -> UInt64? {
        let currentTrack = tracks.first { $0.index == source.index }
        return (currentTrack?.location == location ? currentTrack : tracks.first { $0.location == location })?.number
    }

    /// The item that an object path identifies; nil if there is none.
    func track(withID id: String?) -> Track? { tracks.first { NowPlayingState.trackID(of: $0.number) == id } }

    /// The items that object paths identify; without those of unknown paths, and at most ``limit``.
    func tracks(withIDs ids: [String?]) -> [Track] { ids.prefix(Self.limit).compactMap { track(withID: $0) } }

    static func == (a: TrackList, b: TrackList) -> Bool { a.tracks == b.tracks && a.source == b.source }
}
