import ArgumentParser
import Dispatch
import Glibc
import SwiftPlayKit
import SystemCalls

/// The program `swiftplay`.
@main
enum SwiftPlayCommand {
    /// Runs the subcommand `system`, or plays files.
    static func main() {
        HeapTuning.limitArenas(to: 1)
        HeapTuning.setMmapThreshold(256 * 1024)
        let arguments = Array(CommandLine.arguments.dropFirst())
        // To play a file named `system`, write `./system`.
        if arguments.first == "system" { return SystemCommand.main(Array(arguments.dropFirst())) }
        PlayOptions.main(MPVArguments.normalised(arguments))
    }
}

/// The command that plays files in a window, in a terminal or without video output. The command owns its options,
/// because ArgumentParser evaluates a group of options several times.
extension PlayOptions {
    static let configuration = CommandConfiguration(
        commandName: "swiftplay",
        abstract: "Plays video and audio, with Picture-in-Picture in a separate process.",
        usage: "swiftplay [OPTIONS] FILE [FILE...]",
        discussion: """
            FILE is a path, an http or https address, or - for standard input. Options have mpv's names and meanings.

            `swiftplay system` lists the audio sessions of all programs and announces calls, the silent switch and the \
            screen lock: see `swiftplay system --help`.

            Keys: SPACE pause · LEFT/RIGHT 5 s · DOWN/UP 1 min · p Picture-in-Picture · f full screen · m mute · \
            9/0 volume · . , frame step · [ ] speed · q quit · < > previous, next file

            Exit codes: 0 played, or quit by the user; 1 cannot start; 2 no file could be played; 3 some files could \
            not be played; 4 ended by a signal; 5 a file ended early, because the rest of it could not be read; \
            64 invalid arguments.
            """,
        version: "swiftplay 0.1.0")

    /// The running program. This variable retains the program object until the process exits.
    @MainActor private static var app: PlayerApp?

    func run() throws {
        let settings = try settings()
        AudioRole(files: settings.files, hasPicture: settings.tracks.choice.selections.video != .off)
            .exportToEnvironment()
        MainActor.assumeIsolated {
            let app = PlayerApp(settings: settings)
            Self.app = app
            app.start()
        }
        dispatchMain()
    }
}

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
