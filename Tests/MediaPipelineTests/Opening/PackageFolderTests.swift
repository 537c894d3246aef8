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

    @Test func aFolderWithoutAPlaylistIsNoPackage() throws {
        _ = try folder.create("video.m3u8")
        #expect(PackageFolder.playlist(of: try #require(path)) == nil)
        #expect(PackageFolder.openedLocation(scratch.path) == scratch.path)
    }

    @Test func thePlaylistOfACompletePackageIsOpened() throws {
        _ = try folder.create("incomplete.m3u8")
        #expect(PackageFolder.openedLocation(scratch.path) == scratch.path + "/incomplete.m3u8")
        _ = try folder.create("master.m3u8")
        #expect(PackageFolder.openedLocation(scratch.path) == scratch.path + "/master.m3u8")
        #expect(PackageFolder.openedLocation(scratch.path + "/") == scratch.path + "/master.m3u8")
    }

    @Test func aFileAndAnAddressAreNoPackages() throws {
        _ = try folder.create("master.m3u8")
        let file = scratch.path + "/master.m3u8"
        #expect(PackageFolder.openedLocation(file) == file)
        #expect(PackageFolder.openedLocation("https://example.org/a") == "https://example.org/a")
        #expect(PackageFolder.openedLocation("-") == "-")
    }

    @Test func aFolderWithTheNameOfThePlaylistIsIgnored() throws {
        try folder.createDirectory("master.m3u8")
        #expect(PackageFolder.playlist(of: try #require(path)) == nil)
    }
}
