import Foundation
import Testing

@testable import FilmReel

@Suite struct FilmLibraryTests {
    @Test func filmsAndPicturesOfAllFoldersAreFound() throws {
        let folder = NSTemporaryDirectory() + "film-reel-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder + "/b", withIntermediateDirectories: true)
        for name in ["z.MKV", "a.jpg", "notes.txt", ".hidden.mp4", "b/film.with.dots.mp4", "none"] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
        }
        let films = try FilmLibrary(folder: folder).films
        #expect(films.map(\.title) == ["a", "film.with.dots", "z"])
        #expect(films.map(\.isPicture) == [true, false, false])
    }

    @Test func changedFileHasAnotherKey() throws {
        let folder = NSTemporaryDirectory() + "film-reel-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = URL(fileURLWithPath: folder + "/film.mp4")
        try Data("x".utf8).write(to: file)
        let originalKeys = try FilmLibrary(folder: folder).films.map(\.key)
        try Data("xy".utf8).write(to: file)
        #expect(try FilmLibrary(folder: folder).films.map(\.key) != originalKeys)
    }

    @Test("symbolic links in a loop list each film once, with its path without links")
    func loopOfSymbolicLinksIsReadOnce() throws {
        let folder = NSTemporaryDirectory() + "film-reel-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(fileURLWithPath: folder + "/film.mp4"))
        try FileManager.default.createSymbolicLink(atPath: folder + "/loop", withDestinationPath: folder)
        let films = try FilmLibrary(folder: folder + "/loop/loop").films
        #expect(films.count == 1)
        #expect(films.first?.path.hasSuffix("/loop/film.mp4") == false)
    }

    @Test func missingFolderThrows() {
        #expect(throws: FilmReelError.self) { try FilmLibrary(folder: "/does/not/exist") }
    }
}
