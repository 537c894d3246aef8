import Foundation
import Glibc
import TestSupport
import Testing

@testable import CompositorProtocol

@Suite struct DirectoryWatchTests {
    private let scratch: TemporaryDirectory

    init() throws { scratch = try TemporaryDirectory() }

    @Test func aWrittenRenamedOrDeletedFileIsReportedOnce() throws {
        let watch = try #require(DirectoryWatch(scratch.path, .contents))
        #expect(!watch.drain())
        try Data([1]).write(to: URL(fileURLWithPath: scratch.file("a")))
        #expect(watch.drain() && !watch.drain())
        #expect(rename(scratch.file("a"), scratch.file("b")) == 0 && watch.drain())
        #expect(unlink(scratch.file("b")) == 0 && watch.drain())
    }

    @Test func onlyAWatchOfCreationReportsANewPipe() throws {
        let contents = try #require(DirectoryWatch(scratch.path, .contents))
        let creation = try #require(DirectoryWatch(scratch.path, [.contents, .creation]))
        #expect(mkfifo(scratch.file("pipe"), 0o600) == 0)
        #expect(!contents.drain() && creation.drain())
    }

    @Test func onlyADirectoryIsWatched() throws {
        try Data().write(to: URL(fileURLWithPath: scratch.file("file")))
        #expect(DirectoryWatch(scratch.file("file"), .contents) == nil)
        #expect(DirectoryWatch(scratch.file("missing"), .contents) == nil)
    }
}
