/// The files to play and how far that is. Pure.
struct Playlist: Sendable, Equatable {
    private(set) var files: [String]
    private(set) var position = 0
    var played = 0
    var failed = 0

    init(files: [String]) { self.files = files }

    var current: String? { files.indices.contains(position) ? files[position] : nil }
    var isLast: Bool { position >= files.count - 1 }

    /// - Returns: false when there is no next one.
    mutating func advance() -> Bool {
        guard position + 1 < files.count else { return false }
        position += 1
        return true
    }

    mutating func goBack() -> Bool {
        guard position > 0 else { return false }
        position -= 1
        return true
    }

    /// `loadfile`: takes the place of the list, or comes at its end.
    mutating func load(_ file: String, appending: Bool) {
        if appending {
            files.append(file)
        } else {
            files = [file]
            position = 0
        }
    }
}
