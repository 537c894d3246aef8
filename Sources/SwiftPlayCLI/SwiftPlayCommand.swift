import ArgumentParser
import Dispatch
import Glibc
import SwiftPlayKit
import SystemCalls

/// The program `swiftplay`.
@main
enum SwiftPlayCommand {
    /// Runs a subcommand, or plays files.
    static func main() {
        StandardDescriptors.openMissing()
        StandardOutputCheck.install()
        HeapTuning.limitArenas(to: 1)
        HeapTuning.setMmapThreshold(256 * 1024)
        let arguments = ArgumentBytes.arguments
        // To play a file named `system`, write `./system`.
        switch arguments.first {
        case "system": return SystemCommand.main(Array(arguments.dropFirst()))
        case "download": return DownloadCommand.main(Array(arguments.dropFirst()))
        case "transfers": return TransfersCommand.main(Array(arguments.dropFirst()))
        case "overview": return OverviewCommand.main(Array(arguments.dropFirst()))
        case "background": return BackgroundCommand.main(Array(arguments.dropFirst()))
        case "push": return PushCommand.main(Array(arguments.dropFirst()))
        default: break
        }
        let commandLine = MPVArguments.joined(arguments)
        do throws(StartupArguments.Invalid) {
            let startup = try StartupArguments(
                commandLine: commandLine, files: ConfigurationFiles(commandLine: commandLine),
                check: PlayOptions.reasonForRefusal)
            MainActor.assumeIsolated { PlayOptions.startupWarnings = startup.warnings }
            play(startup.arguments)
        } catch { PlayOptions.exit(withError: ValidationError(error.message)) }
    }

    /// Plays the files of a command line, or exits with a message about its options.
    private static func play(_ arguments: [String]) {
        do {
            var command = try PlayOptions.parseAsRoot(arguments)
            try command.run()
        } catch { PlayOptions.exit(withError: PlayOptions.reportedError(error)) }
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
            FILE is a path, an http or https address, a playlist, a folder, or - for standard input. Options have \
            mpv's names and meanings.

            `swiftplay system` lists the audio sessions of all programs and announces calls, the silent switch and the \
            screen lock: see `swiftplay system --help`. `swiftplay download` downloads files in the background, and \
            `swiftplay transfers` lists these transfers. `swiftplay overview` shows all programs with their last \
            pictures. `swiftplay background` lists the programs that are fetched in the background, and \
            `swiftplay push` sends them notifications.

            Keys: SPACE pause · LEFT/RIGHT 5 s · DOWN/UP 1 min · p Picture-in-Picture · f full screen · m mute · \
            9/0 volume · . , frame step · [ ] speed · q quit · < > previous, next file

            Exit codes: 0 played, or quit by the user; 1 cannot start; 2 no file could be played; 3 some files could \
            not be played; 4 ended by a signal; 5 a file ended early, because the rest of it could not be read; \
            64 invalid arguments.
            """,
        version: "swiftplay 0.1.0")

    /// The running program. This variable retains the program object until the process exits.
    @MainActor private static var app: PlayerApp?

    /// Messages about the configuration files, which the program logs when the log is set up.
    @MainActor static var startupWarnings: [String] = []

    /// Returns the reason why options of a configuration file are invalid; nil if they are valid.
    static func reasonForRefusal(_ options: [String]) -> String? {
        do {
            // The options are checked without the files of the command line: standard input stands in for them.
            _ = try parse(options + ["--", "-"])
            return nil
        } catch {
            // Options such as `--help` print a text and exit.
            return exitCode(for: error) == .success
                ? "only the command line can contain this option" : message(for: reportedError(error))
        }
    }

    func run() throws {
        let settings = try settings()
        AudioRole(
            files: settings.playlistFiles + settings.files, hasPicture: settings.tracks.choice.selections.video != .off
        )
        .exportToEnvironment()
        MainActor.assumeIsolated {
            let app = PlayerApp(settings: settings)
            Self.app = app
            app.start()
        }
        dispatchMain()
    }
}
