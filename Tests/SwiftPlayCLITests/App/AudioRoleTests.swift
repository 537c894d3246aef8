import Testing

@testable import SwiftPlayCLI

@Suite struct AudioRoleTests {
    @Test(arguments: [
        (["film.mkv"], AudioRole.video), (["song.mp3"], .music), (["a/B.FLAC", "c.opus"], .music),
        (["song.mp3", "film.mp4"], .video),
        (["http://host/stream.ogg?x=1.mp4"], .music), (["-"], .video), (["mp3"], .video),
        (["http://host/live"], .video),
    ])
    func fileNamesDetermineTheRole(files: [String], role: AudioRole) {
        #expect(AudioRole(files: files, hasPicture: true) == role)
        #expect(AudioRole(files: files, hasPicture: false) == .music)
    }
}
