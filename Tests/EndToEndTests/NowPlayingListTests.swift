import DesktopBus
import Foundation
import TestSupport
import Testing

/// Tests what swiftplay publishes to the desktop over MPRIS besides the state of the player: the playlist, the cover
/// and the desktop file.
@Suite("Now playing: list and cover")
struct NowPlayingListTests {
    private static let trackList = "org.mpris.MediaPlayer2.TrackList"

    @Test("the desktop receives the playlist and the cover, selects an entry and shuffles")
    func desktopReceivesThePlaylist() async throws {
        try await TestEnvironment.runExclusively {
            let bus = try SessionBus(), watcher = try BusWatcher(bus)
            let player = try RunningPlayer(
                files: ["cover.m4a", "count30.mp4", "count30.mkv"].map { try Fixtures.path($0) },
                ["--vo=null", "--ao=null", "--loop-file=inf"], nil, bus.environment)
            let ipc = try player.ipc, name = "org.mpris.MediaPlayer2.swiftplay.instance\(player.child.pid)"
            try watcher.wait { try $0.connectionNames().contains(name) }
            let program = "org.mpris.MediaPlayer2"
            #expect(try watcher.property("DesktopEntry", of: name, interface: program) == .string("swiftplay"))
            #expect(try watcher.property("HasTrackList", of: name, interface: program) == .bool(true))
            #expect(try watcher.property("CanRaise", of: name, interface: program) == .bool(false))

            func metadata(_ key: String) throws -> BusValue? {
                try watcher.property("Metadata", of: name)?.dictionary?[key]?.unwrapped
            }
            try watcher.wait { _ in try metadata("mpris:artUrl") != nil }
            let address = try #require(try metadata("mpris:artUrl")?.text)
            let cover = try #require(URL(string: address)?.path)
            #expect(FileManager.default.fileExists(atPath: cover))

            let tracks = try #require(
                try watcher.property("Tracks", of: name, interface: Self.trackList)?.elements)
            #expect(try tracks.count == 3 && tracks.first == metadata("mpris:trackid"))
            try watcher.callMethod("GoTo", [tracks[2]], of: name, interface: Self.trackList)
            try ipc.waitForProperty("filename") { $0 == "count30.mkv" }
            try watcher.wait { _ in try metadata("mpris:trackid") == tracks[2] && metadata("mpris:artUrl") == nil }
            #expect(!FileManager.default.fileExists(atPath: cover))

            #expect(try watcher.property("Shuffle", of: name) == .bool(false))
            try bus.playerctl("shuffle", "On", player: "swiftplay")
            try ipc.waitForProperty("playlist-pos") { $0 == 0 }
            #expect(try watcher.property("Shuffle", of: name) == .bool(true))
            try bus.playerctl("shuffle", "Off", player: "swiftplay")
            try ipc.waitForProperty("playlist-pos") { $0 == 2 }
            try player.quit()
        }
    }
}

extension BusWatcher {
    /// Returns a property of another MPRIS interface of the player with the bus name `name`.
    fileprivate func property(_ property: String, of name: String, interface: String) throws -> BusValue? {
        try reply(
            to: .init(
                to: name, path: "/org/mpris/MediaPlayer2", interface: "org.freedesktop.DBus.Properties", "Get",
                [.string(interface), .string(property)])
        ).get().first?.unwrapped
    }
}
