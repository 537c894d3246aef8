import Testing

@testable import SwiftPlayCLI

@Suite struct SoundRoleTests {
    @Test(arguments: [
        (["film.mkv"], SoundRole.video), (["song.mp3"], .music), (["a/B.FLAC", "c.opus"], .music),
        (["song.mp3", "film.mp4"], .video),
        (["http://host/stream.ogg?x=1.mp4"], .music), (["-"], .video), (["mp3"], .video),
        (["http://host/live"], .video),
    ])
    func byTheNames(files: [String], role: SoundRole) {
        #expect(SoundRole(files: files, hasPicture: true) == role)
        #expect(SoundRole(files: files, hasPicture: false) == .music)
    }
}
