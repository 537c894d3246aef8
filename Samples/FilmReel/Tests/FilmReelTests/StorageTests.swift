import Foundation
import Testing

@testable import FilmReel

/// Tests that all storages behave alike.
@Suite struct StorageTests {
    private let tile = PixelSize(width: 64, height: 96)

    private func film(_ number: Int) -> Film { Film(path: "/films/\(number)", version: "1", isPicture: false) }
    private func pixels(_ number: Int) -> [UInt8] { [UInt8](repeating: UInt8(number), count: 64 * 96 * 4) }

    private func content(of poster: any Poster) -> [UInt8] {
        var bytes: [UInt8] = []
        #expect(poster.withBytes(ofRows: 0..<96) { bytes = Array($0) })
        return bytes
    }

    private func checkStorage(_ storage: any PosterStorage) throws {
        #expect(storage.poster(of: film(1)) == nil)
        for number in 1...3 {
            let poster = try storage.keep(pixels(number), for: film(number))
            #expect(content(of: poster) == pixels(number))
        }
        for number in 1...3 {
            let poster = try #require(storage.poster(of: film(number)))
            #expect(content(of: poster) == pixels(number))
        }
        #expect(storage.poster(of: Film(path: "/films/1", version: "2", isPicture: false)) == nil)
    }

    @Test func eagerStorageReturnsKeptPosters() throws { try checkStorage(EagerStorage()) }
    @Test func cachedStorageReturnsKeptPosters() throws { try checkStorage(CachedStorage(byteLimit: 1 << 20)) }
    @Test func purgeableStorageReturnsKeptPosters() throws { try checkStorage(PurgeableStorage(byteLimit: 1 << 20)) }

    @Test("a mapped storage contains its posters after it was closed and opened again")
    func mappedStorageReturnsPostersAfterReopening() throws {
        let folder = NSTemporaryDirectory() + "film-reel-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = try PosterFolder(folder, tile: tile).storePath
        try checkStorage(try MappedStorage(path: path, tile: tile, byteLimit: 1 << 20))
        let poster = try #require(try MappedStorage(path: path, tile: tile, byteLimit: 1 << 20).poster(of: film(2)))
        #expect(content(of: poster) == pixels(2))
    }

    @Test func cacheFolderOfTheEnvironmentMustBeAbsolute() {
        #expect(PosterFolder.defaultFolder(environment: ["XDG_CACHE_HOME": "/caches"]) == "/caches/film-reel")
        let homeFolder = NSHomeDirectory() + "/.cache/film-reel"
        let environments: [[String: String]] = [[:], ["XDG_CACHE_HOME": ""], ["XDG_CACHE_HOME": "caches"]]
        for environment in environments {
            #expect(PosterFolder.defaultFolder(environment: environment) == homeFolder)
        }
    }

    @Test func cacheDiscardsTheLeastRecentlyUsedPoster() throws {
        let storage = CachedStorage(byteLimit: 64 * 96 * 4 * 2)
        for number in 1...3 { _ = storage.keep(pixels(number), for: film(number)) }
        #expect(storage.poster(of: film(1)) == nil)
        #expect(storage.poster(of: film(3)) != nil)
    }
}
