import Foundation
import Glibc
import SwiftPlay

/// The work of a process that measures one step.
@MainActor
struct StepProcess {
    let step: MeasuredStep
    let command: Command

    /// The limit of the cache: 60 posters of 300x450 pixels.
    private static let cacheLimit = 32 << 20
    /// The limit of the posters whose memory the kernel may reclaim.
    private static let purgeableLimit = 512 << 20

    /// Measures the step, and prints the results as a line of JSON.
    ///
    /// - Parameter processStart: The host time at which the process started.
    func run(processStart: Double) async throws {
        let library = try FilmLibrary(folder: command.folder)
        let folder = try PosterFolder(command.cacheFolder, tile: command.tile)
        var residentShare: Double?
        switch step {
        case .mappedFirst: try folder.removeStore()
        case .mappedWarm: PageCache.fill(folder.storePath)
        case .mappedCold: try PageCache.drop(folder.storePath)
        case .eager, .cached, .purgeable: break
        }
        if step == .mappedWarm || step == .mappedCold {
            residentShare = PageCache.residentShare(of: folder.storePath)
        }
        // Do not count the time to prepare the file.
        let start = step == .mappedWarm || step == .mappedCold ? Timebase.hostTime.seconds : processStart
        let storage = try storage(in: folder)
        if step == .eager { makeMissingPosters(storage, with: library.films) }
        let session = try WallSession(films: library.films, storage: storage, tile: command.tile, exceedsScreen: true)
        // Also end the session's threads after an error. A second call of `close` has no effect.
        defer { session.close() }
        var figures = try await StepMeasurement(session: session).run(
            processStart: start, measuresJumps: step == .mappedCold || step == .mappedWarm)
        figures.residentShare = residentShare
        session.close()
        // Scrolling ended before all posters were made, but the next steps need a complete store.
        if step == .mappedFirst {
            makeMissingPosters(storage, with: library.films)
            storage.synchronize()
        }
        let encoded = try JSONEncoder().encode(figures)
        print(String(decoding: encoded, as: UTF8.self))
    }

    private func storage(in folder: PosterFolder) throws -> any PosterStorage {
        switch step {
        case .eager: EagerStorage()
        case .cached: CachedStorage(byteLimit: Self.cacheLimit)
        case .purgeable: PurgeableStorage(byteLimit: Self.purgeableLimit)
        case .mappedFirst, .mappedWarm, .mappedCold:
            try MappedStorage(path: folder.storePath, tile: command.tile, byteLimit: PosterFolder.byteLimit)
        }
    }

    /// Makes all posters that the storage does not contain, on all processors.
    private nonisolated func makeMissingPosters(_ storage: any PosterStorage, with films: [Film]) {
        let maker = PosterMaker(tile: command.tile)
        DispatchQueue.concurrentPerform(iterations: films.count) { number in
            let film = films[number]
            guard storage.poster(of: film) == nil else { return }
            do { _ = try storage.keep(try maker.makePoster(of: film), for: film) } catch {
                FileHandle.standardError.write(Data("film-reel: \(error)\n".utf8))
            }
        }
    }
}
