import CompositorProtocol
import SystemCalls
import TestSupport
import Testing

/// What is shown in the floating window changes while it is there; and pictures that a program draws itself.
@Suite("Picture-in-Picture: sources")
struct PictureInPictureSourceTests {
    private func window(_ watcher: ScreenWatcher) throws -> UInt32 { try watcher.waitForFloatingWindow().id }

    @Test(
        "15: another source that is ready takes the window over, and nobody is told; the first layer has its picture again"
    )
    func sourceReplaced() async throws {
        try await Desk.alone {
            let probe = try RunningProbe(), watcher = try ScreenWatcher()
            try probe.film("a", "count30.mp4")
            try probe.film("b", "count30.mp4", geometry: "320x180+450+60")
            try probe.tell("drawing c 320x180+850+60")
            try probe.wait(for: "c is possible true")
            try probe.tell("seek b 10", "pause b")
            let standing = try watcher.waitForFrame(in: .title("b")) { $0 >= 300 }
            try probe.start("a")
            try watcher.waitForFrame(in: .pictureInPicture) { $0 < 200 }
            let window = try window(watcher)
            try probe.tell("source a b")
            try watcher.waitForFrame(in: .pictureInPicture) { $0 == standing }
            try watcher.waitForFrame(in: .title("a")) { $0 < 290 }
            #expect(try probe.state(of: "b").contains("place=remote"))
            // Pictures of the program's own.
            try probe.tell("source a c")
            try watcher.waitForFrame(in: .title("b")) { $0 == standing }
            let drawn = try watcher.waitForFrame(in: .pictureInPicture) { $0 != standing }
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > drawn + 10 }
            #expect(try self.window(watcher) == window)
            #expect(probe.calls(of: "a") == ["willStart", "didStart"])
            try probe.tell("stop a")
            try probe.wait(for: "a didStop")
            try watcher.waitForFrame(in: .title("c"))
            try probe.quit()
        }
    }

    @Test("15: a source that is not ready ends Picture-in-Picture", arguments: ["none", "b"])
    func sourceNotReady(other: String) async throws {
        try await Desk.alone {
            let probe = try RunningProbe(), watcher = try ScreenWatcher()
            try probe.film("a", "count30.mp4")
            try probe.tell("film b none")
            try probe.start("a")
            try probe.tell("source a \(other)")
            #expect(try probe.wait(for: "a didStop") == "a didStop active=false place=layer reason=ended")
            try watcher.waitForNoWindow(.pictureInPicture)
            let frame = try watcher.waitForFrame(in: .title("a"))
            try watcher.waitForFrame(in: .title("a")) { $0 > frame + 5 }
            #expect(probe.calls(of: "a") == ["willStart", "didStart", "willStop", "didStop"])
            try probe.tell("start a")
            try probe.wait(for: "a failed")
            // From within a call, too.
            try probe.tell("source a a")
            try probe.wait(for: "a is possible true", times: 2)
            try probe.tell("on a didStart source a none", "start a")
            try probe.wait(for: "a didStop", times: 2)
            #expect(try probe.state(of: "a").contains("place=layer"))
            try probe.quit()
        }
    }

    @Test(
        "another film, of another shape: the window stays and takes its shape, and no frame of the old one comes after one of the new"
    )
    func filmReplaced() async throws {
        try await Desk.alone {
            let probe = try RunningProbe(), watcher = try ScreenWatcher()
            try probe.film("a", "count30.mp4")
            try probe.start("a")
            try probe.tell("seek a 10")
            try watcher.waitForFrame(in: .pictureInPicture) { $0 >= 300 }
            let before = try watcher.waitForFloatingWindow()
            let eyes = try ScreenRecorder([.pictureInPicture])
            try eyes.wait { ($0.frame ?? 0) >= 300 }
            try probe.tell("item a \(Fixtures.path("tall.mp4"))")
            try eyes.wait { ($0.frame ?? 300) < 300 }
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > 20 && $0 < 300 }
            let after = try watcher.waitForFloatingWindow()
            #expect(after.id == before.id)
            #expect(abs(after.area.width * 5 - after.area.height * 4) <= 8, "\(after.area)")
            let seen = eyes.finish()
            let numbers = seen.frames(of: .pictureInPicture).map(\.frame)
            let first = numbers.firstIndex { $0 < 300 } ?? 0
            let stale = numbers[first...].filter { $0 >= 300 }
            #expect(stale.isEmpty, "\(numbers)")
            #expect(!seen.sightings.contains { $0.content == .absent }, "the window was there all the time")
            #expect(probe.calls(of: "a") == ["willStart", "didStart"])
            try probe.quit()
        }
    }

    @Test("the next film of a queue, and one while paused: the window shows the new one's frames")
    func nextFilm() async throws {
        try await Desk.alone {
            let probe = try RunningProbe(), watcher = try ScreenWatcher()
            try probe.film("a", "short.mp4")
            try probe.tell("atEnd a advance", "append a \(Fixtures.path("tall.mp4"))")
            try probe.start("a")
            let window = try window(watcher)
            try probe.wait(for: "a firstFrame", times: 2)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 >= 10 && $0 < 40 }
            try probe.tell("pause a", "item a \(Fixtures.path("count30.mkv"))")
            try probe.wait(for: "a firstFrame", times: 3)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 == 0 }
            #expect(try self.window(watcher) == window)
            #expect(try watcher.waitForFloatingWindow().area.width > watcher.waitForFloatingWindow().area.height)
            #expect(probe.calls(of: "a") == ["willStart", "didStart"])
            try probe.quit()
        }
    }

    @Test("a film that cannot be opened ends Picture-in-Picture, unless the program has another one at once")
    func filmFails() async throws {
        try await Desk.alone {
            let probe = try RunningProbe(), watcher = try ScreenWatcher()
            try probe.film("a", "count30.mp4")
            try probe.start("a")
            let window = try window(watcher)
            try probe.tell(
                "on a itemFailed item a \(Fixtures.path("short.mp4"))", "item a \(Fixtures.path("text.mp4"))")
            try probe.wait(for: "a itemFailed")
            try probe.tell("play a")
            try probe.wait(for: "a playedToEnd")
            #expect(try self.window(watcher) == window)
            #expect(probe.calls(of: "a") == ["willStart", "didStart"])
            try probe.tell("item a \(Fixtures.path("text.mp4"))")
            #expect(try probe.wait(for: "a didStop").hasSuffix("reason=ended"))
            try watcher.waitForNoWindow(.pictureInPicture)
            try probe.quit()
        }
    }

    @Test("sound alone has no picture: Picture-in-Picture ends, and the sound plays on")
    func soundAlone() async throws {
        try await Desk.alone {
            let probe = try RunningProbe(), watcher = try ScreenWatcher()
            try probe.film("a", "count30.mp4")
            try probe.start("a")
            try probe.tell("item a \(Fixtures.path("surround51.flac"))")
            #expect(try probe.wait(for: "a didStop").hasSuffix("reason=ended"))
            try watcher.waitForNoWindow(.pictureInPicture)
            try probe.wait(for: "a playedToEnd")
            try probe.quit()
        }
    }

    @Test("pictures that a program draws float and come back; the buttons ask its delegate")
    func drawing() async throws {
        try await Desk.alone {
            let probe = try RunningProbe(), watcher = try ScreenWatcher()
            try probe.tell("drawing d 320x180+50+60")
            try probe.wait(for: "d is possible true")
            let first = try watcher.waitForFrame(in: .title("d"))
            try watcher.waitForFrame(in: .title("d")) { $0 > first + 10 }
            try probe.start("d")
            let frame = try watcher.waitForFrame(in: .pictureInPicture)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > frame + 10 }
            #expect(watcher.frame(in: .title("d")) == nil, "the layer shows its placeholder")
            try probe.wait(for: "d renderSize 480x270")
            // No pixel is copied: the compositor reads the program's own memory.
            let maps = ProcessMaps.lines(of: try probe.compositor()).filter { $0.contains("memfd:swiftplay-frame") }
            #expect(!maps.isEmpty && maps.allSatisfy { $0.contains(" r--s ") }, "\(maps)")
            let area = try watcher.waitForFloatingWindow().area
            try Pointer.click(.playPause, in: area)
            try probe.wait(for: "d setPlaying false")
            try Pointer.click(.playPause, in: area)
            try probe.wait(for: "d setPlaying true")
            try Pointer.moveAway()
            let last = try watcher.waitForFrame(in: .pictureInPicture)
            try probe.tell("stop d")
            #expect(try probe.wait(for: "d didStop") == "d didStop active=false place=layer reason=restored")
            try watcher.waitForFrame(in: .title("d")) { $0 >= last }
            try probe.tell("start d")
            try probe.wait(for: "d didStart", times: 2)
            try watcher.waitForFrame(in: .pictureInPicture)
            try Pointer.click(.close, in: watcher.waitForFloatingWindow().area)
            try probe.wait(for: "d didStop", times: 2)
            try probe.wait(for: "d setPlaying false", times: 2)
            try probe.quit()
        }
    }

    @Test("19: skipping is the delegate's; one that fails leaves nothing stuck")
    func skipping() async throws {
        try await Desk.alone {
            let directory = try RuntimeDirectory()
            let compositor = try FakeCompositor(directory: directory), probe = try RunningProbe(directory: directory)
            try floating(probe, compositor)
            try compositor.say(.action(session: 1, .skip(10_000_000_000)))
            try probe.wait(for: "d skip 100")
            try compositor.wait { isAt($0) { $0.position >= 10_000_000_000 && $0.position < 15_000_000_000 } }
            try probe.tell("skipsFail d")
            for count in 1...3 {
                try compositor.say(.action(session: 1, .skip(-10_000_000_000)))
                try probe.wait(for: "d skip -100", times: count)
            }
            // A dragged line of progress: where it came to last is where it goes.
            for second in 1...20 { try compositor.say(.action(session: 1, .seek(to: Int64(second) * 100_000_000))) }
            let last = probe.words(of: "d", "skip").count
            try probe.wait(for: "d skip", times: max(6, last))
            let facts = compositor.heard.filter { isAt($0) { _ in true } }.count
            try probe.tell("pause d")
            try compositor.wait(times: facts + 1) { isAt($0) { _ in true } }
            try compositor.wait { isAt($0) { $0.isPaused } }
            try probe.quit()
        }
    }

    @Test("20: the range of time: a clock that passes the end, what is live, and nothing")
    func timeRange() async throws {
        try await Desk.alone {
            let directory = try RuntimeDirectory()
            let compositor = try FakeCompositor(directory: directory), probe = try RunningProbe(directory: directory)
            try floating(probe, compositor)
            try probe.tell("pause d", "time d 20.0001", "range d 20")
            try compositor.wait {
                isAt($0) { $0 == PlaybackFacts(isPaused: true, position: 20_000_000_000, duration: 20_000_000_000) }
            }
            try probe.tell("time d 3", "range d live")
            try compositor.wait {
                isAt($0) { $0 == PlaybackFacts(isPaused: true, position: 3_000_000_000, duration: 0) }
            }
            try probe.tell("range d nothing")
            try compositor.wait(times: 2) { isAt($0) { $0.isPaused && $0.duration == 0 } }
            let isEverBeyond = compositor.heard.contains { isAt($0) { $0.duration > 0 && $0.position > $0.duration } }
            #expect(!isEverBeyond)
            try probe.quit()
        }
    }

    private func isAt(_ message: ClientMessage, _ condition: (PlaybackFacts) -> Bool) -> Bool {
        if case .playback(_, let facts) = message { condition(facts) } else { false }
    }

    /// Brings the drawing to where its window is open.
    private func floating(_ probe: RunningProbe, _ compositor: FakeCompositor) throws {
        try probe.tell("drawing d 320x180+50+60")
        try compositor.wait { if case .openSession = $0 { true } else { false } }
        try probe.wait(for: "d is possible true")
        try probe.tell("start d")
        try compositor.wait { if case .requestStart = $0 { true } else { false } }
        try compositor.say(.granted(session: 1))
        try compositor.wait { if case .startFrom = $0 { true } else { false } }
        try compositor.say(.shown(session: 1, frame: 1))
        try probe.wait(for: "d didStart")
    }

    @Test("where playing must be linear the window has no buttons to skip, and its line cannot be dragged")
    func linear() async throws {
        try await Desk.alone {
            let probe = try RunningProbe(), watcher = try ScreenWatcher()
            try probe.film("a", "count30.mp4")
            try probe.tell("linear a on", "pause a")
            try probe.start("a")
            let area = try watcher.waitForFloatingWindow().area
            var frame = try watcher.waitForFrame(in: .pictureInPicture)
            // Where skip forward would be, then the line.
            for (x, y) in [(0.5 + 0.168, 0.5), (0.5, 0.945)] {
                try Pointer.move(to: area, x: 0.3, y: 0.7)
                try Pointer.move(to: area, x: x, y: y)
                try run("xdotool", ["click", "1"])
                // Half a second on: a second click is not one of two, and what the first did would be seen.
                try Pointer.click(.playPause, in: area)
                try Pointer.moveAway()
                let next = try watcher.waitForFrame(in: .pictureInPicture) { [frame] in $0 > frame + 15 }
                #expect(next < frame + 60)
                try probe.tell("pause a")
                frame = next
            }
            let next = frame
            try probe.tell("pause a", "linear a off")
            let now = try watcher.waitForFloatingWindow().area
            try Pointer.move(to: now, x: 0.3, y: 0.7)
            try Pointer.move(to: now, x: 0.5 + 0.168, y: 0.5)
            try run("xdotool", ["click", "1"])
            try Pointer.moveAway()
            try watcher.waitForFrame(in: .pictureInPicture) { $0 >= next + 290 }
            try probe.quit()
        }
    }
}
