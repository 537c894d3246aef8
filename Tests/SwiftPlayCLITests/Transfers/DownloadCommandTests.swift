import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import SwiftPlayCLI

@Suite struct DownloadCommandTests {
    private let digest = String(repeating: "0aF9", count: 16)

    @Test func aDigestBelongsToOneFile() throws {
        let url = "https://example.org/film.mkv"
        #expect(try DownloadCommand.parse([url, "--sha256", digest]).sha256 == digest)
        for arguments in [
            [url, url, "--sha256", digest], ["https://example.org/film.m3u8", "--sha256", digest],
            [url, "--sha256", "0"], [url, "--sha256", String(digest.dropLast()) + "g"],
        ] {
            #expect(throws: (any Error).self, "\(arguments)") { try DownloadCommand.parse(arguments) }
        }
    }

    @Test(arguments: ["", "/", "a/b", "/a", "a/", "../a", ".", ".."])
    func aNameWithAFolderIsRefused(_ name: String) {
        do {
            _ = try DownloadCommand.parse(["https://example.org/film.mkv", "--name", name])
            Issue.record("'\(name)' was accepted")
        } catch {
            #expect(
                DownloadCommand.message(for: error)
                    == "--name must be a file name without a folder; use --to for the folder.")
            #expect(DownloadCommand.exitCode(for: error) == .validationFailure)
        }
    }

    @Test(arguments: ["film.mkv", "a film", "...", "..a", "a\\b"])
    func aNameWithoutAFolderIsAccepted(_ name: String) throws {
        #expect(try DownloadCommand.parse(["https://example.org/film.mkv", "--name", name]).name == name)
    }

    /// Returns whether a folder exists at a path.
    private func isFolder(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path + "/.") }

    /// Returns the reason why a folder cannot be used; nil if it was opened.
    private func failure(_ path: String) -> String? {
        do throws(FolderError) {
            _ = try DownloadCommand.openFolder(path)
            return nil
        } catch { return error.description }
    }

    @Test func aMissingFolderIsCreated() throws {
        let scratch = try TemporaryDirectory()
        for name in ["Films", "Films", "Series/"] {
            #expect(failure(scratch.file(name)) == nil)
            #expect(isFolder(scratch.file(name)))
        }
    }

    @Test func theParentOfAMissingFolderIsNotCreated() throws {
        let scratch = try TemporaryDirectory(), path = scratch.file("Films/new")
        let reason = "No such file or directory; create the folder that contains it first"
        #expect(failure(path) == "the folder \(path) cannot be created: \(reason)")
        #expect(!isFolder(scratch.file("Films")))
    }

    @Test func aFileIsNotAFolder() throws {
        let scratch = try TemporaryDirectory(), path = scratch.file("Films")
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(failure(path) == "the folder \(path) cannot be opened: Not a directory")
    }
}
