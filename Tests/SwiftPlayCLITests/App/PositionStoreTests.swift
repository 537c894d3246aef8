import Glibc
import Testing

@testable import SwiftPlayCLI

@Suite struct PositionStoreTests {
    @Test func aPositionIsRememberedUntilItIsRemoved() throws {
        let root = "/tmp/swiftplay-positions-\(getpid())"
        let store = PositionStore(directory: root + "/a/b")
        #expect(store.playback(of: "/x/film.mkv") == nil)
        try store.save(RememberedPlayback(position: 12.5), of: "/x/film.mkv")
        try store.save(RememberedPlayback(position: 13.5), of: "/x/film.mkv")
        #expect(store.playback(of: "/x/film.mkv")?.position == 13.5 && store.playback(of: "/x/other.mkv") == nil)
        store.remove("/x/film.mkv")
        #expect(store.playback(of: "/x/film.mkv") == nil)
        for folder in ["/a/b", "/a", ""] { #expect(rmdir(root + folder) == 0) }
    }

    @Test func theDefaultFolderIsThatOfStateFiles() {
        func folder(_ variables: [String: String]) -> String? {
            PositionStore(directory: nil, environment: { variables[$0] }).directory
        }
        #expect(folder(["HOME": "/h"]) == "/h/.local/state/swiftplay/watch_later")
        #expect(folder(["HOME": "/h", "XDG_STATE_HOME": "/s"]) == "/s/swiftplay/watch_later")
        #expect(folder(["XDG_STATE_HOME": "s"]) == nil)
        #expect(PositionStore(directory: nil, environment: { _ in nil }).playback(of: "a") == nil)
    }
}
