import CompositorProtocol
import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import Compositor

@Suite struct SnapshotThreadTests {
    private let scratch: TemporaryDirectory
    private let thread: SnapshotThread

    init() throws {
        scratch = try TemporaryDirectory()
        thread = try SnapshotThread(folder: try SnapshotFolder(path: scratch.path))
    }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: scratch.path)) ?? []).sorted()
    }

    /// Waits for the next report.
    private func report() throws -> SnapshotThread.Report {
        var reports: [SnapshotThread.Report] = []
        while reports.isEmpty {
            guard try Poll.waitReadable(thread.event.raw, until: MonotonicTime.now + 20_000_000_000) else {
                throw TestFailure("the thread sends no report")
            }
            reports = thread.takeReports()
        }
        return reports[0]
    }

    private let texts = SnapshotFile.Texts(identifier: "a", title: "")

    @Test func aPictureIsCopiedAndWritten() throws {
        let picture = try SentPicture()
        thread.copy("a.png", try #require(picture.shape.layout), title: "", picture.descriptor)
        guard case .copied("a.png", let copy) = try report() else { throw TestFailure("another report") }
        #expect(copy == (try picture.copy()))
        thread.write("a.png", copy, texts)
        thread.close()
        let file = try #require(FileManager.default.contents(atPath: scratch.path + "/a.png"))
        #expect(SnapshotFile.texts(in: Array(file)) == texts && names == ["a.png"])
    }

    @Test func aPictureThatCannotBeReadIsReported() throws {
        let picture = try SentPicture(size: 1)
        thread.copy("a.png", try #require(picture.shape.layout), title: "", picture.descriptor)
        guard case .failed("a.png", let reason) = try report() else { throw TestFailure("another report") }
        #expect(reason.contains("size"))
        thread.close()
    }

    @Test("a picture that is deleted while it waits or is written does not return")
    func aDeletedPictureDoesNotReturn() throws {
        let picture = try SentPicture(width: 512, height: 512).copy()
        for _ in 0..<5 {
            for _ in 0..<3 { thread.write("a.png", picture, texts) }
            try thread.delete("a.png")
            #expect(!names.contains("a.png"))
        }
        thread.write("b.png", picture, texts)
        thread.close()
        #expect(names == ["b.png"])
    }

    @Test func deletingAPictureDropsItsCopies() throws {
        let picture = try SentPicture()
        thread.copy("a.png", try #require(picture.shape.layout), title: "", picture.descriptor)
        #expect(try Poll.waitReadable(thread.event.raw, until: MonotonicTime.now + 20_000_000_000))
        try thread.delete("a.png")
        #expect(thread.takeReports().isEmpty)
        thread.close()
    }

    @Test func closingWithoutAPictureDoesNotWait() {
        thread.close()
        thread.close()
    }
}
