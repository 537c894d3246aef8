import Foundation
import TestSupport
import Testing

@Suite("Subtitles and tracks")
struct SubtitleTests {
    /// White letters in the lower third, red ones in the upper; enough of them to be a word.
    private static func isWhite(_ colour: UInt32) -> Bool { colour & 0xF0F0F0 == 0xF0F0F0 }
    private static func isRed(_ colour: UInt32) -> Bool {
        colour >> 16 > 200 && colour >> 8 & 0xFF < 60 && colour & 0xFF < 60
    }
    static func showsWhite(_ watcher: ScreenWatcher, _ window: WindowQuery) -> Bool {
        (watcher.points(in: window, from: 0.68, to: 1, where: isWhite) ?? 0) > 60
    }
    static func showsRed(_ watcher: ScreenWatcher, _ window: WindowQuery) -> Bool {
        (watcher.points(in: window, from: 0, to: 0.35, where: isRed) ?? 0) > 60
    }

    private func waitFor(_ what: String, _ condition: () -> Bool) throws {
        if Deadline.poll(for: .seconds(10), { condition() ? true : nil }) == nil { throw RigError("never: \(what)") }
    }

    @Test("text is in the window when it is to be read, and not before or after")
    func atTheirTimes() async throws {
        try await Desk.alone {
            let watcher = try ScreenWatcher()
            let player = try RunningPlayer("tracks.mkv", options: ["--sid=1", "--pause", "--sub-auto=no"])
            try watcher.waitForFrame(in: .player)
            for (time, isThere) in [(0.5, false), (1.5, true), (2.9, true), (3.2, false), (5.1, true), (8.0, true)] {
                try player.ipc.command(["seek", .number(time), "absolute"])
                try watcher.waitForFrame(in: .player) { abs($0 - Int(time * 30)) <= 1 }
                try waitFor("text at \(time): \(isThere)") { Self.showsWhite(watcher, .player) == isThere }
                #expect(
                    try player.ipc.property("sub-text")
                        == .string(!isThere ? "" : time < 4 ? "FIRST LINE" : "A LONG LINE"))
            }
            try player.quit()
        }
    }

    @Test("a line that began long before the place that is gone to is shown there", arguments: [true, false])
    func inTheMiddleOfALine(_ isStart: Bool) async throws {
        try await Desk.alone {
            let watcher = try ScreenWatcher()
            let player = try RunningPlayer(
                "tracks.mkv", options: ["--sid=1", "--pause", "--sub-auto=no"] + (isStart ? ["--start=10.5"] : []))
            try watcher.waitForFrame(in: .player)
            if !isStart { try player.ipc.command(["seek", 10.5, "absolute"]) }
            try watcher.waitForFrame(in: .player) { $0 == 315 }
            try waitFor("the line that began at 5 s") { Self.showsWhite(watcher, .player) }
            #expect(try player.ipc.property("sub-text") == "A LONG LINE")
            try player.quit()
        }
    }

    @Test(
        "a DVD's pictures are in the window, in their place and colour", arguments: ["dvd.idx", "dvd.mkv", "dvd.mpg"])
    func dvd(_ name: String) async throws {
        try await Desk.alone {
            let watcher = try ScreenWatcher()
            let isFile = name.hasSuffix("idx"), film = isFile ? "tracks.mkv" : name
            let player = try RunningPlayer(
                film,
                options: ["--start=4.6", "--sub-auto=no"]
                    + (isFile ? ["--sub-file=\(Fixtures.path(name))", "--sid=3"] : ["--sid=1"]))
            // A programme stream has no palette, for which the decoder makes one up, and no index of lines: so all
            // three play into it.
            let isIt = name.hasSuffix("mpg") ? Self.isWhite : Self.isRed
            let lines = name.hasSuffix("mpg") ? 480.0 : 576
            func covered(_ from: Double, _ to: Double) -> Int {
                watcher.points(in: .player, from: from / lines, to: to / lines, where: isIt) ?? 0
            }
            try waitFor("the box") { covered(400, 448) > 100 }
            #expect(covered(lines * 0.68, 396) == 0)
            try player.ipc.setProperty("pause", true)
            try player.ipc.command(["seek", 4, "absolute"])
            try waitFor("none") { covered(400, 448) == 0 }
            try player.quit()
        }
    }

    @Test("tracks are listed, chosen, taken away and moved in time")
    func choosing() async throws {
        try await Desk.alone {
            let watcher = try ScreenWatcher()
            // From the beginning: a line in the container is known from when it was read on.
            let player = try RunningPlayer("tracks.mkv", options: ["--no-sub", "--pause", "--sub-auto=no"])
            try watcher.waitForFrame(in: .player) { $0 == 0 }
            let ipc = try player.ipc
            guard case .array(let list) = try ipc.property("track-list") else { throw RigError("no track list") }
            #expect(list.map { $0["type"] } == ["video", "audio", "audio", "sub", "sub"])
            #expect(list.map { $0["id"] } == [1, 1, 2, 1, 2])
            #expect(list.map { $0["codec"] } == ["h264", "flac", "flac", "subrip", "ass"])
            #expect(list.dropFirst().map { $0["lang"] } == ["eng", "deu", "eng", "deu"])
            #expect(list.map { $0["selected"] } == [true, true, false, false, false])
            #expect(try ipc.property("sid") == false)
            #expect(!Self.showsWhite(watcher, .player) && !Self.showsRed(watcher, .player))
            try ipc.command(["seek", 4.5, "absolute"])
            try watcher.waitForFrame(in: .player) { abs($0 - 135) <= 1 }
            try ipc.setProperty("sid", 1)
            try ipc.setProperty("pause", false)
            try watcher.waitForFrame(in: .player) { $0 >= 155 }
            try ipc.setProperty("pause", true)
            try waitFor("the first track's text") {
                Self.showsWhite(watcher, .player) && !Self.showsRed(watcher, .player)
            }
            try ipc.command(["cycle", "sid"])
            try waitFor("the second track's text") {
                Self.showsRed(watcher, .player) && !Self.showsWhite(watcher, .player)
            }
            try ipc.command(["cycle", "sid"])
            try waitFor("none") { !Self.showsRed(watcher, .player) && !Self.showsWhite(watcher, .player) }
            #expect(try ipc.property("sid") == false)
            try ipc.setProperty("sid", 1)
            try waitFor("the first again") { Self.showsWhite(watcher, .player) }
            try ipc.setProperty("sub-visibility", false)
            try waitFor("hidden") { !Self.showsWhite(watcher, .player) }
            try ipc.setProperty("sub-visibility", true)
            try waitFor("shown") { Self.showsWhite(watcher, .player) }
            try ipc.setProperty("sub-delay", 2)
            try waitFor("later") { !Self.showsWhite(watcher, .player) }
            try ipc.setProperty("sub-delay", 0)
            try waitFor("not later") { Self.showsWhite(watcher, .player) }
            let usual = watcher.points(in: .player, from: 0.68, where: Self.isWhite) ?? 0
            try ipc.setProperty("sub-scale", 2)
            try waitFor("larger") {
                (watcher.points(in: .player, from: 0.68, where: Self.isWhite) ?? 0) > usual * 3 / 2
            }
            try player.quit()
        }
    }

    @Test("another sound is heard without a gap, and the picture goes on", .measuresTime)
    func anotherSound() async throws {
        try await Desk.alone {
            let watcher = try ScreenRecorder([.player])
            let recorder = try SoundRecorder()
            let player = try RunningPlayer("tracks.mkv", options: ["--no-sub"])
            try watcher.wait { ($0.frame ?? 0) >= 60 }
            try player.ipc.setProperty("aid", 2)
            try player.ipc.waitForProperty("aid") { $0 == 2 }
            let switched = try watcher.wait { ($0.frame ?? 0) >= 150 }
            let seen = watcher.finish()
            try recorder.wait(until: switched.time)
            let heard = recorder.finish().trimmed()
            try player.quit()
            #expect(heard.silentGaps().isEmpty)
            let first = heard.toneEnvelope(300, window: .milliseconds(50)),
                second = heard.toneEnvelope(700, window: .milliseconds(50))
            #expect(first[5].amplitude > 0.1 && second[5].amplitude < 0.05)
            #expect((first.last?.amplitude ?? 1) < 0.05 && (second.last?.amplitude ?? 0) > 0.1)
            #expect(seen.backwardSteps(in: .player) == 0)
            let dropped = seen.missed
            #expect(dropped.count <= 1, "\(dropped)")
        }
    }

    @Test("sound can be taken away and brought back while playing")
    func noSound() async throws {
        try await Desk.alone {
            let watcher = try ScreenWatcher()
            let player = try RunningPlayer("tracks.mkv", options: ["--no-sub", "--aid=no"])
            try watcher.waitForFrame(in: .player) { $0 >= 15 }
            try player.ipc.setProperty("aid", 2)
            try player.ipc.waitForProperty("aid") { $0 == 2 }
            let recorder = try SoundRecorder()
            let there = try watcher.waitForFrame(in: .player) { $0 >= 90 }
            try player.ipc.setProperty("aid", false)
            try player.ipc.waitForProperty("aid") { $0 == false }
            try watcher.waitForFrame(in: .player) { $0 >= there + 30 }
            let heard = recorder.finish()
            try player.quit()
            #expect(heard.toneEnvelope(700, window: .milliseconds(50)).contains { $0.amplitude > 0.1 })
            #expect(heard.toneEnvelope(300, window: .milliseconds(50)).allSatisfy { $0.amplitude < 0.05 })
            let tail = heard.toneEnvelope(700, window: .milliseconds(50)).suffix(6)
            #expect(tail.allSatisfy { $0.amplitude < 0.02 })
        }
    }

    @Test("a file beside the media is shown by itself, and one in another character set is read")
    func files() async throws {
        try await Desk.alone {
            let watcher = try ScreenWatcher()
            let player = try RunningPlayer("tracks.mkv", options: ["--pause"])
            try watcher.waitForFrame(in: .player)
            let ipc = try player.ipc
            try ipc.waitForProperty("sub-text") { $0 == "BESIDE" }
            try waitFor("the text of the file beside") { Self.showsWhite(watcher, .player) }
            #expect(try ipc.property("track-list/5/lang") == "fr")
            #expect(try ipc.property("track-list/5/external") == true)
            try ipc.command(["sub-add", .string(try Fixtures.path("cyrillic.srt"))])
            try ipc.waitForProperty("sub-text") { $0 == "Съешь же ещё этих мягких французских булок, да выпей чаю" }
            #expect(try ipc.property("sid") == 4)
            try player.quit()
        }
    }

    @Test("the language decides, for sound and for text")
    func languages() async throws {
        try await Desk.alone {
            let player = try RunningPlayer(
                "tracks.mkv", options: ["--vo=null", "--pause", "--alang=fr,de", "--slang=en"])
            try player.ipc.waitForProperty("aid") { $0 == 2 }
            #expect(try player.ipc.property("sid") == 1)
            try player.quit()
        }
    }

    @Test("text is in the floating window too, in its size, and goes and comes while paused")
    func pictureInPicture() async throws {
        try await Desk.alone {
            let watcher = try ScreenWatcher()
            let player = try RunningPlayer("tracks.mkv", options: ["--sid=2", "--sub-auto=no"])
            try watcher.waitForFrame(in: .player)
            try player.enterPictureInPicture()
            try waitFor("text in the floating window") { Self.showsRed(watcher, .pictureInPicture) }
            try waitFor("the placeholder without text") { !Self.showsRed(watcher, .player) }
            let standing = try player.pause(in: .pictureInPicture, watcher)
            try player.ipc.setProperty("sid", false)
            try waitFor("no text") { !Self.showsRed(watcher, .pictureInPicture) }
            try player.ipc.setProperty("sid", 2)
            try waitFor("text again") { Self.showsRed(watcher, .pictureInPicture) }
            #expect(watcher.frame(in: .pictureInPicture) == standing)
            let small = watcher.points(in: .pictureInPicture, from: 0, to: 0.35, where: Self.isRed) ?? 0
            try player.ipc.setProperty("sub-scale", 2)
            try waitFor("larger text") {
                (watcher.points(in: .pictureInPicture, from: 0, to: 0.44, where: Self.isRed) ?? 0) > small * 3 / 2
            }
            try player.leavePictureInPicture()
            try waitFor("text in the window") { Self.showsRed(watcher, .player) }
            try player.quit()
        }
    }

    @Test("text is written in the terminal")
    func terminal() async throws {
        try await Desk.alone {
            let directory = try RuntimeDirectory()
            let pty = try PTY(
                Products.swiftplay,
                ["--vo=tct", "--ao=null", "--sub-auto=no", "--sid=1", "--start=4", "--", Fixtures.path("tracks.mkv")],
                environment: ["DISPLAY": nil], runtimeDirectory: directory)
            try waitFor("the words in the terminal") { Self.letters(pty.output.text).contains("A LONG LINE") }
            pty.type("q")
            #expect(try pty.child.waitForExit().isSuccess)
        }
    }

    /// Without the sequences that steer the terminal.
    private static func letters(_ text: String) -> String {
        text.replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "")
    }
}
