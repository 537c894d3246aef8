/// The files to play and the position among them.
struct Playlist: Sendable, Equatable {
    private(set) var files: [String]
    private(set) var position = 0
    /// The number of files played to their end; each repetition counts.
    private(set) var played = 0
    /// Whether each entry of ``files`` was played to its end.
    private var isPlayed: [Bool]
    var failed = 0
    /// The number of files that played but could not be read to their end.
    var cutShort = 0
    /// The number of further rounds through the whole list.
    var rounds = LoopCount.times(0)
    /// The value of ``played`` when this round began. A round that plays no file is the last.
    private var playedBefore = 0

    init(files: [String]) {
        self.files = files
        isPlayed = files.map { _ in false }
    }

    /// The number of entries that were played to their end at least once.
    var entriesPlayed: Int { isPlayed.count { $0 } }

    /// Records that the current entry was played to its end.
    mutating func notePlayed() {
        played += 1
        if isPlayed.indices.contains(position) { isPlayed[position] = true }
    }

    var current: String? { files.indices.contains(position) ? files[position] : nil }
    var isLast: Bool { position >= files.count - 1 }

    /// The index of the next entry; nil at the end of the last round.
    var following: Int? {
        if position + 1 < files.count { return position + 1 }
        guard !files.isEmpty, rounds != .times(0), played > playedBefore else { return nil }
        return 0
    }

    /// Moves to the next entry.
    ///
    /// - Returns: False if there is no next entry.
    mutating func advance() -> Bool {
        guard let following else { return false }
        if following <= position {
            if case .times(let left) = rounds { rounds = .times(left - 1) }
            playedBefore = played
        }
        position = following
        return true
    }

    mutating func goBack() -> Bool {
        guard position > 0 else { return false }
        position -= 1
        return true
    }

    /// Moves to the entry at `index`.
    ///
    /// - Returns: False if there is no such entry.
    mutating func go(to index: Int) -> Bool {
        guard files.indices.contains(index) else { return false }
        position = index
        return true
    }

    /// Shuffles the list. With `keepingCurrent`, the current entry becomes the first.
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
        (files, isPlayed) = (order.map { files[$0] }, order.map { isPlayed[$0] })
    }

    /// Removes all entries except the current one.
    mutating func clear() {
        isPlayed = current.map { _ in [isPlayed[position]] } ?? []
        files = current.map { [$0] } ?? []
        position = 0
    }

    /// Replaces the list with `file`, or appends it. The command `loadfile` calls this.
    mutating func load(_ file: String, appending: Bool) {
        if appending {
            files.append(file)
            isPlayed.append(false)
        } else {
            (files, isPlayed) = ([file], [false])
            position = 0
        }
    }
}
