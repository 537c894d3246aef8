/// The exit codes of the process. Codes 0 to 4 are mpv's.
enum PlaybackExitCode: Int32 {
    /// All files played, or the user ended the program.
    case played = 0
    /// The program could not start, or could not write a statistics or checksum file.
    case cannotStart = 1
    /// No file could be played.
    case nothingPlayed = 2
    /// Some files could not be played.
    case someFilesPlayed = 3
    /// A signal ended the program.
    case signalled = 4
    /// A file played, but ended early because the rest of it could not be read.
    case truncated = 5
}
