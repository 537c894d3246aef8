import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

/// Tests playback of downloaded streams. Each picture shows its frame number.
@Suite struct PackageSourceTests {
    private let scratch: TemporaryDirectory

    init() throws { scratch = try TemporaryDirectory() }

    /// Creates a package of a stream of the fixtures, without some files.
    private func package(_ name: String, as master: String = "master.m3u8", without missing: Set<String> = []) throws
        -> String
    {
        let streams = try Fixtures.path("streams")
        for file in try FileManager.default.contentsOfDirectory(atPath: streams) where !missing.contains(file) {
            try FileManager.default.createSymbolicLink(
                atPath: scratch.file(file), withDestinationPath: streams + "/" + file)
        }
        try FileManager.default.copyItem(atPath: streams + "/" + name, toPath: scratch.file(master))
        return scratch.path
    }

    @Test("every frame of a package is played once, in order", arguments: ["low.m3u8", "low-mp4.m3u8"])
    func everyFrameIsPlayedOnce(name: String) throws {
        let reader = try MediaReader(try package(name))
        var numbers: [Int?] = []
        while let frame = try reader.next() { numbers.append(frameNumber(of: frame)) }
        #expect(numbers == Array(0..<360))
    }

    @Test func theSubtitlesOfAPackageAreTracks() throws {
        let reader = try MediaReader(try package("subtitles.m3u8"))
        let info = try reader.outcome().get()
        #expect(info.tracks.filter { $0.kind == .subtitle }.map(\.language) == ["en", "de"])
        #expect(info.container == "hls" && info.duration == 12_000_000_000)
    }

    @Test func aPackageThatIsDownloadedIsPlayedAsFarAsItGoes() throws {
        let missing: Set = ["low3.ts", "low4.ts", "low5.ts"]
        let reader = try MediaReader(try package("low.m3u8", as: "incomplete.m3u8", without: missing))
        var numbers: [Int?] = []
        while let frame = try reader.next() { numbers.append(frameNumber(of: frame)) }
        #expect(numbers == Array(0..<180))
    }

    @Test func aPackageWithoutItsFirstSegmentCannotBeOpened() throws {
        let missing = Set((0..<6).map { "low\($0).ts" })
        let reader = try MediaReader(try package("low.m3u8", as: "incomplete.m3u8", without: missing))
        #expect(throws: MediaError.self) { try reader.outcome().get() }
    }

    @Test func aPartOfALocalFileIsRead() throws {
        let folder = try DirectoryDescriptor(opening: scratch.path)
        let file = try folder.create("part")
        var failure: SystemCallError?
        Array("0123456789".utf8).withUnsafeBytes { bytes in
            do throws(SystemCallError) { try file.write(bytes, at: 0) } catch { failure = error }
        }
        #expect(failure == nil)
        let path = try #require(LocalResource.path(of: "file://" + scratch.file("part")))
        #expect(try LocalResource.bytes(at: path, limit: 10, "") == Array("0123456789".utf8))
        #expect(try LocalResource.bytes(at: path, .init(offset: 8, length: 9), limit: 10, "") == Array("89".utf8))
        #expect(throws: MediaError.self) { try LocalResource.bytes(at: path, limit: 9, "") }
    }

    @Test func addressesOnTheNetworkAreNoLocalResources() {
        #expect(LocalResource.path(of: "https://example.org/a") == nil)
        #expect(LocalResource.path(of: "data:,a") == nil)
    }
}
