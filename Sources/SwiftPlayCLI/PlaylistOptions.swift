import ArgumentParser

/// The command line options for playlists. Names and meanings are mpv's.
struct PlaylistOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Play the entries of a playlist (M3U, PLS, or one file a line). The option can be repeated.",
            valueName: "file"))
    var playlist: [String] = []

    @Option(
        help: ArgumentHelp("Begin with this entry of the playlist, counted from 0, or auto.", valueName: "index"))
    var playlistStart = "auto"

    @Option(help: ArgumentHelp("Play the whole list this many times: a number, inf or no.", valueName: "count"))
    var loopPlaylist = "no"

    @Flag(help: "Play the files in random order.")
    var shuffle = false

    /// Checks the values; throws `ValidationError` for an invalid one.
    func validateAll() throws {
        guard ["auto", "no"].contains(playlistStart) || start != nil else {
            throw ValidationError("--playlist-start takes a number from 0, or auto.")
        }
        guard LoopCount(parsing: loopPlaylist) != nil else {
            throw ValidationError("--loop-playlist takes a number, inf or no.")
        }
    }

    /// The index of the entry that is played first; nil for the first entry.
    var start: Int? { Int(playlistStart).flatMap { (0...1_000_000).contains($0) ? $0 : nil } }
}
