import CompositorProtocol
import SystemCalls
import TestSupport
import Testing

/// Tests changes of the content source while the floating window is open, and content that the program draws.
@Suite("Picture-in-Picture: sources")
struct PictureInPictureSourceTests {
    /// Returns the X identifier of the only floating window.
    private func floatingWindowID(_ watcher: ScreenWatcher) throws -> UInt32 { try watcher.waitForFloatingWindow().id }

    @Test("another ready source takes over the window without delegate calls; the old layer has its picture again")
    func readyContentSourceTakesOverTheWindow() async throws {
        try await TestEnvironment.runExclusively {
            let probe = try RunningProbe(), watcher = try ScreenWatcher()
            try probe.openFilm("a", "count30.mp4")
            try probe.openFilm("b", "count30.mp4", geometry: "320x180+450+60")
            try probe.send("drawing c 320x180+850+60")
            try probe.wait(for: "c is possible true")
            try probe.send("seek b 10", "pause b")
            let pausedFrame = try watcher.waitForFrame(in: .title("b")) { $0 >= 300 }
            try probe.startPictureInPicture("a")
            try watcher.waitForFrame(in: .pictureInPicture) { $0 < 200 }
            let window = try floatingWindowID(watcher)
            try probe.send("source a b")
            try watcher.waitForFrame(in: .pictureInPicture) { $0 == pausedFrame }
            try watcher.waitForFrame(in: .title("a")) { $0 < 290 }
            #expect(try probe.state(of: "b").contains("place=remote"))
            // Change to the content source of scene c, whose pictures the program draws.
            try probe.send("source a c")
            try watcher.waitForFrame(in: .title("b")) { $0 == pausedFrame }
            let drawnFrame = try watcher.waitForFrame(in: .pictureInPicture) { $0 != pausedFrame }
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > drawnFrame + 10 }
            #expect(try floatingWindowID(watcher) == window)
            #expect(probe.delegateCalls(of: "a") == ["willStart", "didStart"])
            try probe.send("stop a")
            try probe.wait(for: "a didStop")
            try watcher.waitForFrame(in: .title("c"))
            try probe.quit()
        }
    }

    @Test("a source that is not ready ends Picture-in-Picture", arguments: ["none", "b"])
    func unreadyContentSourceEndsPictureInPicture(source: String) async throws {
        try await TestEnvironment.runExclusively {
            let probe = try RunningProbe(), watcher = try ScreenWatcher()
            try probe.openFilm("a", "count30.mp4")
            try probe.send("film b none")
            try probe.startPictureInPicture("a")
            try probe.send("source a \(source)")
            #expect(try probe.wait(for: "a didStop") == "a didStop active=false place=layer reason=ended")
            try watcher.waitForNoWindow(.pictureInPicture)
            let frame = try watcher.waitForFrame(in: .title("a"))
            try watcher.waitForFrame(in: .title("a")) { $0 > frame + 5 }
            #expect(probe.delegateCalls(of: "a") == ["willStart", "didStart", "willStop", "didStop"])
            try probe.send("start a")
            try probe.wait(for: "a failed")
            // Remove the content source during a delegate call.
            try probe.send("source a a")
            try probe.wait(for: "a is possible true", times: 2)
            try probe.send("on a didStart source a none", "start a")
            try probe.wait(for: "a didStop", times: 2)
            #expect(try probe.state(of: "a").contains("place=layer"))
            try probe.quit()
        }
    }

    @Test("the window takes the shape of a new film; no old frame is shown after a new one")
    func windowTakesTheShapeOfANewFilm() async throws {
        try await TestEnvironment.runExclusively {
            let probe = try RunningProbe(), watcher = try ScreenWatcher()
            try probe.openFilm("a", "count30.mp4")
            try probe.startPictureInPicture("a")
            try probe.send("seek a 10")
            try watcher.waitForFrame(in: .pictureInPicture) { $0 >= 300 }
            let oldWindow = try watcher.waitForFloatingWindow()
            let recorder = try ScreenRecorder([.pictureInPicture])
            try recorder.wait { ($0.frame ?? 0) >= 300 }
            try probe.send("item a \(Fixtures.path("tall.mp4"))")
            try recorder.wait { ($0.frame ?? 300) < 300 }
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > 20 && $0 < 300 }
            let newWindow = try watcher.waitForFloatingWindow()
            #expect(newWindow.id == oldWindow.id)
            #expect(abs(newWindow.area.width * 5 - newWindow.area.height * 4) <= 8, "\(newWindow.area)")
            let recording = recorder.stopRecording()
            let numbers = recording.frames(of: .pictureInPicture).map(\.frame)
            let firstNewIndex = numbers.firstIndex { $0 < 300 } ?? 0
            let oldFrameNumbers = numbers[firstNewIndex...].filter { $0 >= 300 }
            #expect(oldFrameNumbers.isEmpty, "\(numbers)")
            #expect(!recording.contentChanges.contains { $0.content == .absent }, "the window disappeared")
            #expect(probe.delegateCalls(of: "a") == ["willStart", "didStart"])
            try probe.quit()
        }
    }

    @Test("the window shows the next film of a queue, and a film that is set while paused")
    func windowShowsTheNextFilmOfAQueue() async throws {
        try await TestEnvironment.runExclusively {
            let probe = try RunningProbe(), watcher = try ScreenWatcher()
            try probe.openFilm("a", "short.mp4")
            try probe.send("atEnd a advance", "append a \(Fixtures.path("tall.mp4"))")
            try probe.startPictureInPicture("a")
            let window = try floatingWindowID(watcher)
            try probe.wait(for: "a firstFrame", times: 2)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 >= 10 && $0 < 40 }
            try probe.send("pause a", "item a \(Fixtures.path("count30.mkv"))")
            try probe.wait(for: "a firstFrame", times: 3)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 == 0 }
            #expect(try floatingWindowID(watcher) == window)
            #expect(try watcher.waitForFloatingWindow().area.width > watcher.waitForFloatingWindow().area.height)
            #expect(probe.delegateCalls(of: "a") == ["willStart", "didStart"])
            try probe.quit()
        }
    }

    @Test("a film that cannot be opened ends Picture-in-Picture, unless the program sets another one at once")
    func unreadableFilmEndsPictureInPicture() async throws {
        try await TestEnvironment.runExclusively {
            let probe = try RunningProbe(), watcher = try ScreenWatcher()
            try probe.openFilm("a", "count30.mp4")
            try probe.startPictureInPicture("a")
            let window = try floatingWindowID(watcher)
            try probe.send(
                "on a itemFailed item a \(Fixtures.path("short.mp4"))", "item a \(Fixtures.path("text.mp4"))")
            try probe.wait(for: "a itemFailed")
            try probe.send("play a")
            try probe.wait(for: "a playedToEnd")
            #expect(try floatingWindowID(watcher) == window)
            #expect(probe.delegateCalls(of: "a") == ["willStart", "didStart"])
            try probe.send("item a \(Fixtures.path("text.mp4"))")
            #expect(try probe.wait(for: "a didStop").hasSuffix("reason=ended"))
            try watcher.waitForNoWindow(.pictureInPicture)
            try probe.quit()
        }
    }

    @Test("an item without video ends Picture-in-Picture, and its audio plays on")
    func itemWithoutVideoEndsPictureInPicture() async throws {
        try await TestEnvironment.runExclusively {
            let probe = try RunningProbe(), watcher = try ScreenWatcher()
            try probe.openFilm("a", "count30.mp4")
            try probe.startPictureInPicture("a")
            try probe.send("item a \(Fixtures.path("surround51.flac"))")
            #expect(try probe.wait(for: "a didStop").hasSuffix("reason=ended"))
            try watcher.waitForNoWindow(.pictureInPicture)
            try probe.wait(for: "a playedToEnd")
            try probe.quit()
        }
    }

    @Test("pictures that a program draws float and return; the buttons call its delegate")
    func drawnPicturesFloatAndReturn() async throws {
        try await TestEnvironment.runExclusively {
            let probe = try RunningProbe(), watcher = try ScreenWatcher()
            try probe.send("drawing d 320x180+50+60")
            try probe.wait(for: "d is possible true")
            let firstFrame = try watcher.waitForFrame(in: .title("d"))
            try watcher.waitForFrame(in: .title("d")) { $0 > firstFrame + 10 }
            try probe.startPictureInPicture("d")
            let frame = try watcher.waitForFrame(in: .pictureInPicture)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > frame + 10 }
            #expect(watcher.frameNumber(in: .title("d")) == nil, "the layer still shows a frame")
            try probe.wait(for: "d renderSize 480x270")
            // The compositor has mapped the program's frame memory read-only, instead of receiving copies of the
            // pixels.
            let maps = ProcessUsage.memoryMaps(of: try probe.compositorPID())
                .filter { $0.contains("memfd:swiftplay-frame") }
            #expect(!maps.isEmpty && maps.allSatisfy { $0.contains(" r--s ") }, "\(maps)")
            let area = try watcher.waitForFloatingWindow().area
            try Pointer.click(.playPause, in: area)
            try probe.wait(for: "d setPlaying false")
            try Pointer.click(.playPause, in: area)
            try probe.wait(for: "d setPlaying true")
            try Pointer.moveAway()
            let lastFrame = try watcher.waitForFrame(in: .pictureInPicture)
            try probe.send("stop d")
            #expect(try probe.wait(for: "d didStop") == "d didStop active=false place=layer reason=restored")
            try watcher.waitForFrame(in: .title("d")) { $0 >= lastFrame }
            try probe.send("start d")
            try probe.wait(for: "d didStart", times: 2)
            try watcher.waitForFrame(in: .pictureInPicture)
            try Pointer.click(.close, in: watcher.waitForFloatingWindow().area)
            try probe.wait(for: "d didStop", times: 2)
            try probe.wait(for: "d setPlaying false", times: 2)
            try probe.quit()
        }
    }

    @Test("skips call the delegate, and a failed skip does not block later ones")
    func failedSkipDoesNotBlockLaterSkips() async throws {
        try await TestEnvironment.runExclusively {
            let directory = try RuntimeDirectory()
            let compositor = try FakeCompositor(directory: directory), probe = try RunningProbe(directory: directory)
            try startPictureInPicture(probe, compositor)
            try compositor.send(.action(session: 1, .skip(10_000_000_000)))
            try probe.wait(for: "d skip 100")
            try compositor.wait {
                isPlaybackState($0) { $0.position >= 10_000_000_000 && $0.position < 15_000_000_000 }
            }
            try probe.send("skipsFail d")
            for count in 1...3 {
                try compositor.send(.action(session: 1, .skip(-10_000_000_000)))
                try probe.wait(for: "d skip -100", times: count)
            }
            // A drag along the progress bar sends many seeks in a short time; only the last position counts.
            for second in 1...20 { try compositor.send(.action(session: 1, .seek(to: Int64(second) * 100_000_000))) }
            let skipCount = probe.outputLines(of: "d", "skip").count
            try probe.wait(for: "d skip", times: max(6, skipCount))
            let stateCount = compositor.messages.filter { isPlaybackState($0) { _ in true } }.count
            try probe.send("pause d")
            try compositor.wait(times: stateCount + 1) { isPlaybackState($0) { _ in true } }
            try compositor.wait { isPlaybackState($0) { $0.isPaused } }
            try probe.quit()
        }
    }

    @Test("the playback state covers a clock past the end, a live range and an empty range")
    func playbackStateCoversSpecialTimeRanges() async throws {
        try await TestEnvironment.runExclusively {
            let directory = try RuntimeDirectory()
            let compositor = try FakeCompositor(directory: directory), probe = try RunningProbe(directory: directory)
            try startPictureInPicture(probe, compositor)
            try probe.send("pause d", "time d 20.0001", "range d 20")
            try compositor.wait {
                isPlaybackState($0) {
                    $0 == PlaybackState(isPaused: true, position: 20_000_000_000, duration: 20_000_000_000)
                }
            }
            try probe.send("time d 3", "range d live")
            try compositor.wait {
                isPlaybackState($0) { $0 == PlaybackState(isPaused: true, position: 3_000_000_000, duration: 0) }
            }
            try probe.send("range d nothing")
            try compositor.wait(times: 2) { isPlaybackState($0) { $0.isPaused && $0.duration == 0 } }
            let exceedsDuration = compositor.messages.contains {
                isPlaybackState($0) { $0.duration > 0 && $0.position > $0.duration }
            }
            #expect(!exceedsDuration)
            try probe.quit()
        }
    }

    /// Returns whether a message contains a playback state for which `condition` returns true.
    private func isPlaybackState(_ message: ClientMessage, _ condition: (PlaybackState) -> Bool) -> Bool {
        if case .playback(_, let state) = message { condition(state) } else { false }
    }

    /// Starts Picture-in-Picture for scene `d`, which draws its frames, and sends the replies of the simulated
    /// compositor.
    private func startPictureInPicture(_ probe: RunningProbe, _ compositor: FakeCompositor) throws {
        try probe.send("drawing d 320x180+50+60")
        try compositor.wait { if case .openSession = $0 { true } else { false } }
        try probe.wait(for: "d is possible true")
        try probe.send("start d")
        try compositor.wait { if case .requestStart = $0 { true } else { false } }
        try compositor.send(.granted(session: 1))
        try compositor.wait { if case .startAnimated = $0 { true } else { false } }
        try compositor.send(.shown(session: 1, frame: 1))
        try probe.wait(for: "d didStart")
    }

    @Test("while playback must be linear the window has no skip buttons, and its progress bar cannot be dragged")
    func linearPlaybackPreventsSkippingAndSeeking() async throws {
        try await TestEnvironment.runExclusively {
            let probe = try RunningProbe(), watcher = try ScreenWatcher()
            try probe.openFilm("a", "count30.mp4")
            try probe.send("linear a on", "pause a")
            try probe.startPictureInPicture("a")
            let area = try watcher.waitForFloatingWindow().area
            var frame = try watcher.waitForFrame(in: .pictureInPicture)
            // Click where the skip forward button would be, and then on the progress bar.
            for (x, y) in [(0.5 + 0.168, 0.5), (0.5, 0.945)] {
                try Pointer.move(to: area, x: 0.3, y: 0.7)
                try Pointer.move(to: area, x: x, y: y)
                try run("xdotool", ["click", "1"])
                // Play for half a second, so that two clicks are not a double click and any seek becomes visible.
                try Pointer.click(.playPause, in: area)
                try Pointer.moveAway()
                let nextFrame = try watcher.waitForFrame(in: .pictureInPicture) { [frame] in $0 > frame + 15 }
                #expect(nextFrame < frame + 60)
                try probe.send("pause a")
                frame = nextFrame
            }
            let lastFrame = frame
            try probe.send("pause a", "linear a off")
            let currentArea = try watcher.waitForFloatingWindow().area
            try Pointer.move(to: currentArea, x: 0.3, y: 0.7)
            try Pointer.move(to: currentArea, x: 0.5 + 0.168, y: 0.5)
            try run("xdotool", ["click", "1"])
            try Pointer.moveAway()
            try watcher.waitForFrame(in: .pictureInPicture) { $0 >= lastFrame + 290 }
            try probe.quit()
        }
    }
}
