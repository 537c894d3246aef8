/// A list of files to play, and the position of the current file in the list.
struct Playlist: Sendable, Equatable {
    /// The entries of the playlist: paths and URLs.
    private(set) var files: [String]
    /// The index of the current entry, from 0.
    private(set) var position = 0
    /// The number of files that were played to their end, counting each repetition.
    private(set) var playedCount = 0
    /// Whether each entry of ``files``, by index, was played to its end at least once.
    private var playedFlags: [Bool]
    /// The number of files that could not be played.
    var failedFileCount = 0
    /// The number of files that played but could not be read to their end.
    var truncatedFileCount = 0
    /// The number of further repetitions of the whole playlist.
    var remainingRounds = LoopCount.times(0)
    /// The value of ``playedCount`` when the current pass through the playlist began. If a pass plays no file to its
    /// end, the playlist is not repeated again.
    private var playedCountAtRoundStart = 0

    /// Creates a playlist whose first entry is the current one.
    init(files: [String]) {
        self.files = files
        playedFlags = files.map { _ in false }
    }

    /// The number of entries that were played to their end at least once.
    var playedEntryCount: Int { playedFlags.count { $0 } }

    /// Records that the current entry was played to its end.
    mutating func didPlay() {
        playedCount += 1
        if playedFlags.indices.contains(position) { playedFlags[position] = true }
    }

    /// The current entry; nil if the playlist is empty.
    var current: String? { files.indices.contains(position) ? files[position] : nil }

    /// The index of the entry to play next; nil at the end of the playlist if the playlist is not repeated again.
    var nextPosition: Int? {
        if position + 1 < files.count { return position + 1 }
        guard !files.isEmpty, remainingRounds != .times(0), playedCount > playedCountAtRoundStart else { return nil }
        return 0
    }

    /// Makes the next entry the current one.
    ///
    /// - Returns: False if there is no next entry.
    mutating func advance() -> Bool {
        guard let nextPosition else { return false }
        if nextPosition <= position {
            if case .times(let remaining) = remainingRounds { remainingRounds = .times(remaining - 1) }
            playedCountAtRoundStart = playedCount
        }
        position = nextPosition
        return true
    }

    /// Makes the previous entry the current one; returns false if the current entry is the first.
    mutating func goBack() -> Bool {
        guard position > 0 else { return false }
        position -= 1
        return true
    }

    /// Makes the entry at `index` the current one.
    ///
    /// - Returns: False if there is no such entry.
    mutating func go(to index: Int) -> Bool {
        guard files.indices.contains(index) else { return false }
        position = index
        return true
    }

    /// Shuffles the entries of the playlist. If `keepingCurrent` is true, the current entry becomes the first one.
    mutating func shuffle(using generator: inout some RandomNumberGenerator, keepingCurrent: Bool) {
        var order = Array(files.indices)
        if keepingCurrent, current != nil {
            order.remove(at: position)
            order.shuffle(using: &generator)
            order.insert(position, at: 0)
            position = 0
        } else {
            order.shuffle(using: &generator)
        }
        (files, playedFlags) = (order.map { files[$0] }, order.map { playedFlags[$0] })
    }

    /// Removes all entries of the playlist except the current one.
    mutating func clear() {
        playedFlags = current.map { _ in [playedFlags[position]] } ?? []
        files = current.map { [$0] } ?? []
        position = 0
    }

    /// Appends `file` to the playlist if `appending` is true; otherwise replaces all entries with it. The command
    /// `loadfile` calls this method.
    mutating func load(_ file: String, appending: Bool) {
        if appending {
            files.append(file)
            playedFlags.append(false)
        } else {
            (files, playedFlags) = ([file], [false])
            position = 0
        }
    }
}
