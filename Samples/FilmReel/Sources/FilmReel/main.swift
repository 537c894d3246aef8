import Dispatch
import Foundation
import Glibc
import SwiftPlay

let processStart = Timebase.hostTime.seconds

/// Prints an error and exits with status 1.
func fail(_ error: any Error) -> Never {
    FileHandle.standardError.write(Data("film-reel: \(error)\n".utf8))
    exit(1)
}

/// Opens the window and shows the wall.
@MainActor func showWall(_ command: Command) throws -> FilmReelProgram {
    let library = try FilmLibrary(folder: command.folder)
    let folder = try PosterFolder(command.cacheFolder, tile: command.tile)
    let storage = try MappedStorage(path: folder.storePath, tile: command.tile, byteLimit: PosterFolder.byteLimit)
    return FilmReelProgram(session: try WallSession(films: library.films, storage: storage, tile: command.tile))
}

/// The program, in a global variable that lasts as long as the process.
var program: FilmReelProgram?
do {
    let command = try Command(arguments: Array(CommandLine.arguments.dropFirst()))
    switch command.action {
    case .show: program = try showWall(command)
    case .measure:
        try Measurement(command: command).run()
        exit(0)
    case .measureStep(let step):
        Task { @MainActor in
            do {
                try await StepProcess(step: step, command: command).run(processStart: processStart)
            } catch { fail(error) }
            exit(0)
        }
    }
} catch { fail(error) }
dispatchMain()
