import SystemCalls
import TestSupport
import Testing

@testable import MediaPipeline

@Suite struct PackageFolderTests {
    private let scratch: TemporaryDirectory
    private let folder: DirectoryDescriptor

    init() throws {
        scratch = try TemporaryDirectory()
        folder = try DirectoryDescriptor(opening: scratch.path)
    }

    private var path: FilePath? { FilePath(scratch.path) }

    /// The path of the playlist of the folder.
    private var playlist: String? { path.flatMap { PackageFolder.playlist(of: $0) }?.text }

    @Test func aFolderWithoutAPlaylistIsNoPackage() throws {
        _ = try folder.create("video.m3u8")
        #expect(playlist == nil)
    }

    @Test func thePlaylistOfACompletePackageIsPreferred() throws {
        _ = try folder.create("incomplete.m3u8")
        #expect(playlist == scratch.path + "/incomplete.m3u8")
        _ = try folder.create("master.m3u8")
        #expect(playlist == scratch.path + "/master.m3u8")
        #expect(PackageFolder.playlist(of: try #require(FilePath(scratch.path + "/")))?.text == playlist)
    }

    @Test func aFileIsNoPackage() throws {
        _ = try folder.create("master.m3u8")
        #expect(PackageFolder.playlist(of: try #require(FilePath(scratch.path + "/master.m3u8"))) == nil)
    }

    @Test func aFolderWithTheNameOfThePlaylistIsIgnored() throws {
        try folder.createDirectory("master.m3u8")
        #expect(playlist == nil)
    }
}
