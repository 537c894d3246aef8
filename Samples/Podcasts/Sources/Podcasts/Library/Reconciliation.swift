/// The comparison of the library with the files and transfers that exist.
///
/// The program may be killed between two steps: after it has moved a file and before it has recorded that, after it has
/// requested an episode and before its transfer exists, or after the user has unsubscribed and before the files are
/// gone. Each start of the program compares, and makes up for the steps that are missing.
struct Reconciliation: Equatable {
    /// A transfer of the session whose end the program does not know.
    struct Transfer: Equatable {
        /// The description that the program gave it.
        let description: String
        var isSuspended = false
        /// Whether the transfer has ended, so that its events follow.
        var hasEnded = false
    }

    /// The library after the comparison.
    private(set) var library: Library
    /// The files that belong to no episode and no feed.
    private(set) var removedFiles: [String] = []
    /// The episodes whose transfers are missing.
    private(set) var startedEpisodes: [Episode] = []
    /// The transfers that were created and not started, and those that are not needed, by their places.
    private(set) var resumedTransfers: [Int] = [], cancelledTransfers: [Int] = []

    /// Compares the library with files and transfers.
    init(_ library: Library, files: [String], transfers: [Transfer]) {
        self.library = library
        compare(files)
        compare(transfers)
    }

    private mutating func compare(_ files: [String]) {
        let present = Set(files)
        for episode in library.episodes {
            if let name = episode.fileName, !present.contains(name) {
                // The user has removed the file.
                library.changeEpisode(episode.number) { $0.file = .none }
            }
        }
        for name in files {
            guard let key = LibraryKey(fileName: name) else {
                if Self.isTemporary(name) { removedFiles.append(name) }
                continue
            }
            if let episode = library.episode(key), episode.fileName == nil {
                library.changeEpisode(episode.number) { $0.file = .downloaded(name: name) }
            }
        }
        let needed = library.fileNames
        removedFiles += files.filter { LibraryKey(fileName: $0) != nil && !needed.contains($0) }
    }

    private mutating func compare(_ transfers: [Transfer]) {
        var transferred: Set<Int> = []
        for (place, transfer) in transfers.enumerated() {
            let episode = LibraryKey(description: transfer.description).flatMap { library.episode($0) }
            guard let episode, episode.file == .requested, transferred.insert(episode.number).inserted else {
                if !transfer.hasEnded { cancelledTransfers.append(place) }
                continue
            }
            if transfer.isSuspended { resumedTransfers.append(place) }
        }
        startedEpisodes = library.episodes.filter { $0.file == .requested && !transferred.contains($0.number) }
    }

    /// Whether a file is one that the program has not finished.
    private static func isTemporary(_ name: String) -> Bool {
        name.hasSuffix(MediaFolder.temporarySuffix)
            && LibraryKey(fileName: String(name.dropLast(MediaFolder.temporarySuffix.count))) != nil
    }
}
