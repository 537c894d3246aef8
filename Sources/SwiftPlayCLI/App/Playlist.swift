/// The files to play and how far that is. Pure.
struct Playlist: Sendable, Equatable {
    private(set) var files: [String]
    private(set) var position = 0
    /// Files played to their end; one that is repeated counts each time.
    private(set) var played = 0
    /// Of each entry of ``files``: whether it was played to its end.
    private var isPlayed: [Bool]
    var failed = 0
    /// Files that played and could not be read to their ends.
    var cutShort = 0
    /// How often the whole list is played once more.
    var rounds = LoopCount.times(0)
    /// Files played when this round began: a round in which nothing plays is the last one.
    private var playedBefore = 0

    init(files: [String]) {
        self.files = files
        isPlayed = files.map { _ in false }
    }

    /// Entries that were played to their end at least once.
    var entriesPlayed: Int { isPlayed.count { $0 } }

    /// The current entry was played to its end.
    mutating func notePlayed() {
        played += 1
        if isPlayed.indices.contains(position) { isPlayed[position] = true }
    }

    var current: String? { files.indices.contains(position) ? files[position] : nil }
    var isLast: Bool { position >= files.count - 1 }

    /// Where the list goes on; nil at its end.
    var following: Int? {
        if position + 1 < files.count { return position + 1 }
        guard !files.isEmpty, rounds != .times(0), played > playedBefore else { return nil }
        return 0
    }

    /// - Returns: false when there is no next one.
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

    /// - Returns: false when there is no such entry.
    mutating func go(to index: Int) -> Bool {
        guard files.indices.contains(index) else { return false }
        position = index
        return true
    }

    /// Another order; what plays comes first.
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

    /// Only what plays is left.
    mutating func clear() {
        isPlayed = current.map { _ in [isPlayed[position]] } ?? []
        files = current.map { [$0] } ?? []
        position = 0
    }

    /// `loadfile`: takes the place of the list, or comes at its end.
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
