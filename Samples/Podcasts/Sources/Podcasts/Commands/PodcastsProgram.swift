import Dispatch
import Foundation
import SwiftPlay
import SwiftPlayBackground

/// The program: it owns one object for each concern, and runs one command.
@MainActor
final class PodcastsProgram {
    let file: LibraryFile
    let folder: MediaFolder
    let refresher: Refresher
    let downloads: EpisodeDownloads
    let work: BackgroundWork
    let picture: ProgramPicture
    /// The player, while an episode plays.
    var player: EpisodePlayer?
    private var signalSources: [any DispatchSourceSignal] = []

    init(library: String) throws {
        file = try LibraryFile(folder: library)
        folder = try MediaFolder(in: library)
        refresher = Refresher(file: file, folder: folder)
        picture = ProgramPicture(folder: folder)
        downloads = EpisodeDownloads(file: file, folder: folder)
        work = BackgroundWork(file: file, refresher: refresher, downloads: downloads, picture: picture)
        Application.shared.snapshotIdentifier = BackgroundWork.identifier
    }

    /// Runs a command and returns when it is done.
    func run(_ action: PodcastsCommand.Action) async throws {
        switch action {
        case .list: printLines(EpisodeTable.feeds(try file.read()))
        case .episodes(let name): printLines(EpisodeTable.episodes(try file.read().feed(named: name)))
        case .status: printLines(EpisodeTable.status(try file.read(), folder: file.folder))
        case .subscribe(let address): try await subscribe(to: address)
        case .unsubscribe(let name): try await unsubscribe(from: name)
        case .refresh(let name): try await refresh(name)
        case .download(let numbers): try await download(numbers)
        case .play(let number): try await play(number)
        case .background: try await runInBackground()
        }
    }

    /// Prints lines at once, also into a pipe.
    func printLines(_ lines: [String]) {
        FileHandle.standardOutput.write(Data(lines.map { $0 + "\n" }.joined().utf8))
    }

    /// Calls a function for Ctrl-C and for the signal that ends programs.
    func onTermination(_ body: @escaping @MainActor @Sendable () -> Void) {
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler { MainActor.assumeIsolated { body() } }
            source.resume()
            signalSources.append(source)
        }
    }
}
