import Dispatch
import Foundation

/// Prints an error and exits with status 1.
func fail(_ error: any Error) -> Never {
    FileHandle.standardError.write(Data("podcasts: \(error)\n".utf8))
    exit(1)
}

/// The program, in a global variable that lasts as long as the process.
var program: PodcastsProgram?
do {
    let environment = ProcessInfo.processInfo.environment
    let dataFolder =
        environment["XDG_DATA_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? NSHomeDirectory() + "/.local/share"
    let command = try PodcastsCommand(arguments: Array(CommandLine.arguments.dropFirst()), dataFolder: dataFolder)
    let newProgram = try PodcastsProgram(library: command.library)
    program = newProgram
    Task { @MainActor in
        do { try await newProgram.run(command.action) } catch { fail(error) }
        exit(0)
    }
} catch { fail(error) }
dispatchMain()
