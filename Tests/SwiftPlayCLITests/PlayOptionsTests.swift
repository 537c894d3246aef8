import SwiftPlayKit
import Testing

@testable import SwiftPlayCLI

@Suite struct PlayOptionsTests {
    /// Returns the settings that command line arguments describe.
    private func settings(_ arguments: String...) throws -> PlaySettings {
        try PlayOptions.parse(arguments).settings()
    }

    @Test func theDefaultsApplyWithoutOptions() throws {
        let settings = try settings("film.mp4")
        #expect(
            settings.files == ["film.mp4"] && settings.volume == 100 && settings.speed == 1
                && settings.fileLoop == .times(0))
        #expect(
            !settings.isPaused && !settings.isMuted && !settings.keepsOpen && !settings.isFullScreen
                && !settings.startsInPictureInPicture)
        #expect(
            settings.videoOutput == nil && settings.audioOutput == nil && settings.start == nil && !settings.isUntimed)
        #expect(settings.deinterlacing == .automatic)
    }

    @Test func optionsAreParsed() throws {
        let settings = try settings(
            "--pip", "--start=1:30", "--end=-10", "--pause", "--volume=50", "--mute", "--speed=2", "--loop-file=inf",
            "--keep-open=yes", "--fs",
            "--geometry=50%+10+10", "--vo=tct", "--ao=null", "--audio-device=alsa/hw:0", "--title=Film",
            "--msg-level=all=no",
            "--input-ipc-server=/run/x", "--untimed", "--stats=s.json", "--frame-checksums=f.txt",
            "--checksum-hash=CRC32", "a", "b")
        #expect(
            settings.files == ["a", "b"] && settings.startsInPictureInPicture && settings.start == .seconds(90)
                && settings.end == .fromEnd(10))
        #expect(
            settings.isPaused && settings.isMuted && settings.volume == 50 && settings.speed == 2
                && settings.fileLoop == .forever)
        #expect(
            settings.keepsOpen && settings.isFullScreen && settings.geometry == "50%+10+10"
                && settings.videoOutput == .terminal(.halfBlocks))
        #expect(
            settings.audioOutput == "null" && settings.audioDevice == "alsa/hw:0" && settings.title == "Film"
                && settings.ipcPath == "/run/x")
        #expect(settings.isUntimed && settings.statisticsPath == "s.json" && settings.frameChecksumPath == "f.txt")
        #expect(try settings.checksumHash.name == "CRC32" && self.settings("f").checksumHash == .md5)
        #expect(settings.logLevels.level(of: "player") == nil)
        #expect(try self.settings("--deinterlace=yes", "f").deinterlacing == .always)
        #expect(try self.settings("--deinterlace=no", "f").deinterlacing == .never)
        #expect(try settings.keepsPitch && !self.settings("--no-audio-pitch-correction", "f").keepsPitch)
        #expect(try settings.stopsScreenSaver && !self.settings("--no-stop-screensaver", "f").stopsScreenSaver)
        #expect(try settings.publishesNowPlaying && !self.settings("--no-mpris", "f").publishesNowPlaying)
        #expect(try settings.showsControls && !self.settings("--no-osc", "f").showsControls)
    }

    @Test(arguments: [
        [], ["--start=soon", "f"], ["--end=101%", "f"], ["--geometry=big", "f"], ["--volume=-1", "f"],
        ["--volume=1001", "f"],
        ["--volume=nan", "f"], ["--speed=0", "f"], ["--speed=101", "f"], ["--loop-file=-1", "f"],
        ["--loop-file=often", "f"],
        ["--keep-open=perhaps", "f"], ["--vo=oil", "f"], ["--deinterlace=bob", "f"], ["--ao=horn", "f"],
        ["--loop-playlist=x", "f"], ["--ab-loop-a=50%", "f"], ["--checksum-hash=rot13", "f"],
        ["--gapless-audio=perhaps", "f"], ["--msg-level=loud", "f"],
    ])
    func invalidValuesAreRefusedWithAMessage(_ arguments: [String]) throws {
        do {
            _ = try PlayOptions.parse(arguments)
            Issue.record("\(arguments) was accepted")
        } catch {
            let message = PlayOptions.message(for: error)
            #expect(message.count > 10)
            if let option = arguments.first?.split(separator: "=").first {
                #expect(message.contains(option), "\(message)")
            }
        }
    }

    @Test(arguments: [
        ["--length=x", "f"], ["--length=0", "f"], ["--idle=maybe", "f"], ["--image-display-duration=-1", "f"],
        ["--volume-max=99", "f"], ["--audio-delay=nan", "f"], ["--replaygain=loud", "f"], ["--force-window=x", "f"],
        ["--screenshot-format=bmp", "f"], ["--screenshot-template=%q", "f"], ["--sub-pos=151", "f"],
        ["--sub-font-size=0", "f"], ["--volume=140", "f"],
    ])
    func invalidValuesOfOtherGroupsAreRefused(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try PlayOptions.parse(arguments) }
    }

    @Test func optionsOfOtherGroupsAreParsed() throws {
        let settings = try settings(
            "--length=90", "--idle=once", "--image-display-duration=inf", "--volume=200", "--volume-max=200",
            "--audio-delay=-0.5", "--force-window=yes", "--log-file=l", "--loop=2", "--sub-pos=50",
            "--sub-font-size=90", "--save-position-on-quit", "--no-resume-playback", "--screenshot-format=jpg")
        #expect(settings.playback.length == 90 && settings.playback.idleMode == .once)
        #expect(settings.playback.imageDuration == .infinity && settings.volume == 200)
        #expect(settings.audio.maximumVolume == 200 && settings.audio.delay == -0.5)
        #expect(settings.forcesWindow && settings.logPath == "l" && settings.fileLoop == .times(2))
        #expect(settings.tracks.subtitlePosition == 50 && settings.tracks.subtitleTextScale == 2)
        #expect(settings.playback.savesPosition && !settings.playback.resumes && settings.screenshot.format == .jpg)
    }

    @Test func theVolumeIsTheCubeOfTheAmplitude() {
        #expect(PlayerApp.amplitude(100) == 1 && PlayerApp.amplitude(200) == 8)
        #expect(PlayerApp.amplitude(130) > PlayerApp.amplitude(126))
    }

    @Test func listAndLoopOptionsAreParsed() throws {
        let defaultSettings = try settings("f")
        #expect(
            defaultSettings.playlistLoop == .times(0) && !defaultSettings.shufflesPlaylist
                && defaultSettings.abLoopA == nil && defaultSettings.gaplessAudio == .whereFormatsMatch)
        let loopSettings = try settings(
            "--loop-playlist=3", "--shuffle", "--ab-loop-a=1:00", "--ab-loop-b=70.5", "--gapless-audio=yes", "f")
        // `--loop-playlist=3` includes the first round, so that two more rounds follow.
        #expect(
            loopSettings.playlistLoop == .times(2) && loopSettings.shufflesPlaylist && loopSettings.abLoopA == 60
                && loopSettings.abLoopB == 70.5 && loopSettings.gaplessAudio == .always)
        #expect(try settings("--loop-playlist=inf", "f").playlistLoop == .forever)
    }

    @Test func loopCountsAreParsed() {
        #expect(
            LoopCount(parsing: "no") == .times(0) && LoopCount(parsing: "3") == .times(3)
                && LoopCount(parsing: "0") == .times(0))
        #expect(LoopCount(parsing: "inf") == .forever && LoopCount(parsing: "yes") == .forever)
        for text in ["", "-1", "1.5", "x"] { #expect(LoopCount(parsing: text) == nil) }
    }

    @Test func outputsHaveTheNamesOfMPV() {
        #expect(VideoOutputOption(parsing: "x11") == .x11 && VideoOutputOption(parsing: "null") == .null)
        let graphicsByName: [(String, PlayerWindow.TerminalGraphics)] = [
            ("terminal", .automatic), ("tct", .halfBlocks), ("sixel", .sixel), ("kitty", .kitty),
        ]
        for (text, expected) in graphicsByName { #expect(VideoOutputOption(parsing: text) == .terminal(expected)) }
        #expect(VideoOutputOption(parsing: "tct", uses256Colours: true) == .terminal(.halfBlocks256))
        #expect(VideoOutputOption(parsing: "gpu") == nil)
    }
}
