/// A list of files to play, and the position of the current file in the list.
struct Playlist: Sendable, Equatable {
    /// The entries of the playlist.
    private(set) var entries: [Entry] { didSet { files = entries.map(\.location) } }
    /// The paths and addresses of the entries, which are stored because the program copies them often.
    private(set) var files: [String]
    /// The maximum number of entries. Entries from the user's commands may exceed it.
    static let entryLimit = 200_000
    /// The index of the current entry, from 0.
    private(set) var position = 0
    /// The number of files that were played to their end, counting each repetition.
    private(set) var playedCount = 0
    /// Whether each entry of ``entries``, by index, was played to its end at least once.
    private var playedFlags: [Bool]
    /// The number of files that could not be played.
    var failedFileCount = 0
    /// The number of files that played but could not be read to their end.
    var truncatedFileCount = 0
    /// The number of further repetitions of the whole playlist.
    var remainingRounds = LoopCount.times(0)
    /// The entries in the order before they were shuffled; nil if they are in their own order.
    private var unshuffledFiles: [String]?
    /// The value of ``playedCount`` when the current pass through the playlist began. If a pass plays no file to its
    /// end, the playlist is not repeated again.
    private var playedCountAtRoundStart = 0

    /// Creates a playlist whose first entry is the current one.
    init(entries: [Entry]) {
        self.entries = entries
        files = entries.map(\.location)
        playedFlags = entries.map { _ in false }
    }

    /// Creates a playlist of paths and addresses whose first entry is the current one.
    init(files: [String]) { self.init(entries: files.map { Entry(location: $0) }) }

    /// The number of entries that were played to their end at least once.
    var playedEntryCount: Int { playedFlags.count { $0 } }

    /// Records that the current entry was played to its end.
    mutating func didPlay() {
        playedCount += 1
        if playedFlags.indices.contains(position) { playedFlags[position] = true }
    }

    /// The current entry; nil if the playlist is empty.
    var currentEntry: Entry? { entries.indices.contains(position) ? entries[position] : nil }
    /// The path or address of the current entry; nil if the playlist is empty.
    var currentFile: String? { currentEntry?.location }

    /// The index of the entry to play next; nil at the end of the playlist if the playlist is not repeated again.
    var nextPosition: Int? {
        if position + 1 < entries.count { return position + 1 }
        guard !entries.isEmpty, remainingRounds != .times(0), playedCount > playedCountAtRoundStart else { return nil }
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
        guard entries.indices.contains(index) else { return false }
        position = index
        return true
    }

    /// Shuffles the entries of the playlist. If `keepingCurrent` is true, the current entry becomes the first one.
    mutating func shuffle(using generator: inout some RandomNumberGenerator, keepingCurrent: Bool) {
        unshuffledFiles = unshuffledFiles ?? files
        var order = Array(entries.indices)
        if keepingCurrent, currentFile != nil {
            order.remove(at: position)
            order.shuffle(using: &generator)
            order.insert(position, at: 0)
            position = 0
        } else {
            order.shuffle(using: &generator)
        }
        (entries, playedFlags) = (order.map { entries[$0] }, order.map { playedFlags[$0] })
    }

    /// Whether the entries were shuffled and have not been put in their own order again.
    var isShuffled: Bool { unshuffledFiles != nil }

    /// Puts the entries in the order before they were shuffled. Entries that were added since then follow. The current
    /// entry stays the current one.
    mutating func unshuffle() {
        guard let unshuffledFiles else { return }
        let ranks = Dictionary(zip(unshuffledFiles, 0...), uniquingKeysWith: min)
        let order = files.indices.map { (ranks[files[$0]] ?? .max, $0) }.sorted { $0 < $1 }.map { $0.1 }
        (entries, playedFlags) = (order.map { entries[$0] }, order.map { playedFlags[$0] })
        position = order.firstIndex(of: position) ?? position
        self.unshuffledFiles = nil
    }

    /// Removes all entries of the playlist except the current one.
    mutating func clear() {
        playedFlags = currentFile.map { _ in [playedFlags[position]] } ?? []
        entries = currentEntry.map { [$0] } ?? []
        position = 0
    }

    /// Moves an entry so that it precedes the entry at `destination`; to the end if `destination` is the number of
    /// entries or more. Indices outside the list have no effect. The current entry stays the current one.
    mutating func move(from source: Int, to destination: Int) {
        guard files.indices.contains(source), destination >= 0 else { return }
        var order = Array(files.indices)
        let destination = min(destination, files.count)
        order.remove(at: source)
        order.insert(source, at: destination > source ? destination - 1 : destination)
        (entries, playedFlags) = (order.map { entries[$0] }, order.map { playedFlags[$0] })
        position = order.firstIndex(of: position) ?? position
    }

    /// Removes an entry; returns false if there is no such entry. If it is the current entry, the entry that follows it
    /// becomes the current one.
    mutating func remove(at index: Int) -> Bool {
        guard files.indices.contains(index) else { return false }
        entries.remove(at: index)
        playedFlags.remove(at: index)
        if index < position { position -= 1 }
        return true
    }

    /// Replaces the current entry, which is a playlist or a folder, with its entries. The first of them becomes the
    /// current one. Uses only as many entries as ``entryLimit`` allows, but at least one.
    ///
    /// - Parameter newEntries: The entries; not empty.
    /// - Returns: The number of entries that were used.
    mutating func replaceCurrentEntry(with newEntries: [Entry]) -> Int {
        guard entries.indices.contains(position) else { return 0 }
        let usedEntries = newEntries.prefix(max(1, Self.entryLimit - entries.count + 1))
        entries.replaceSubrange(position...position, with: usedEntries)
        playedFlags.replaceSubrange(position...position, with: usedEntries.map { _ in false })
        return usedEntries.count
    }

    /// Appends a path or address to the playlist if `appending` is true; otherwise replaces all entries with it.
    mutating func load(_ file: String, appending: Bool) { load(Entry(location: file), appending: appending) }

    /// Appends an entry to the playlist if `appending` is true; otherwise replaces all entries with it.
    mutating func load(_ entry: Entry, appending: Bool) {
        if appending {
            entries.append(entry)
            playedFlags.append(false)
        } else {
            (entries, playedFlags, unshuffledFiles) = ([entry], [false], nil)
            position = 0
        }
    }
}
