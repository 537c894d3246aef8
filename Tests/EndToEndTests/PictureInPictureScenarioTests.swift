import Glibc
import SystemCalls
import TestSupport
import Testing

/// Tests what a program that embeds the library receives during Picture-in-Picture: delegate calls, states and
/// pictures.
@Suite("Picture-in-Picture: scenarios")
struct PictureInPictureScenarioTests {
    /// The delegate calls of a Picture-in-Picture start.
    static let startCalls = ["willStart", "didStart"]
    /// The delegate calls of a Picture-in-Picture start and of a stop that returns the picture to the program's window.
    static let startAndRestoreCalls = startCalls + ["restore", "willStop", "didStop"]
    /// The delegate calls of a Picture-in-Picture start and of a stop that closes the floating window without
    /// restoring.
    static let startAndCloseCalls = startCalls + ["willStop", "didStop"]

    /// Starts the probe program with a film (scene `a`) in Picture-in-Picture.
    func startFilmInPictureInPicture(_ clip: String = "count30.mp4") throws -> (RunningProbe, ScreenWatcher) {
        let probe = try RunningProbe(), watcher = try ScreenWatcher()
        try probe.openFilm("a", clip)
        try probe.startPictureInPicture("a")
        try watcher.waitForFrame(in: .pictureInPicture)
        return (probe, watcher)
    }

    @Test("a restore precedes the stop; the rate stays, and the layer has its frames before didStop")
    func restoreCallPrecedesTheStop() async throws {
        try await TestEnvironment.runExclusively {
            let (probe, watcher) = try startFilmInPictureInPicture()
            let frame = try watcher.waitForFrame(in: .pictureInPicture)
            try Pointer.click(.restore, in: watcher.waitForFloatingWindow().area)
            #expect(try probe.wait(for: "a didStop") == "a didStop active=false place=layer reason=restored")
            #expect(probe.outputLines(of: "a", "willStop") == ["a willStop active=true place=remote"])
            #expect(probe.outputLines(of: "a", "willStart") == ["a willStart active=false place=layer"])
            #expect(probe.outputLines(of: "a", "didStart") == ["a didStart active=true place=remote"])
            #expect(probe.delegateCalls(of: "a") == Self.startAndRestoreCalls)
            #expect(try probe.state(of: "a").contains("rate=1.0"))
            try watcher.waitForNoWindow(.pictureInPicture)
            try watcher.waitForFrame(in: .title("a")) { $0 >= frame }
            #expect(try probe.state(of: "a").contains("place=layer"))
            #expect(
                probe.outputLines(of: "a", "is active")
                    == ["a is active false", "a is active true", "a is active false"])
            try probe.quit()
        }
    }

    @Test("closing the window pauses the player and does not call restore")
    func closingTheWindowPausesAndDoesNotCallRestore() async throws {
        try await TestEnvironment.runExclusively {
            let (probe, watcher) = try startFilmInPictureInPicture()
            try Pointer.click(.close, in: watcher.waitForFloatingWindow().area)
            #expect(try probe.wait(for: "a didStop").hasSuffix("reason=closed"))
            #expect(probe.delegateCalls(of: "a") == Self.startAndCloseCalls)
            #expect(try probe.state(of: "a").contains("rate=0.0"))
            try watcher.waitForNoWindow(.pictureInPicture)
            try probe.quit()
        }
    }

    @Test("if restore fails, the window closes and the layer has its frames again")
    func failedRestoreClosesTheWindow() async throws {
        try await TestEnvironment.runExclusively {
            let (probe, watcher) = try startFilmInPictureInPicture()
            try probe.send("answer a no", "stop a")
            // Without a restore no animation returns the picture, so only the layer receives the frames.
            #expect(try probe.wait(for: "a didStop") == "a didStop active=false place=layer reason=stopped")
            try watcher.waitForNoWindow(.pictureInPicture)
            let frame = try watcher.waitForFrame(in: .title("a"))
            try watcher.waitForFrame(in: .title("a")) { $0 > frame + 10 }
            #expect(probe.delegateCalls(of: "a") == Self.startAndRestoreCalls)
            try probe.quit()
        }
    }

    @Test("a restore that the program does not complete fails after a timeout, and a late completion is ignored")
    func uncompletedRestoreCallTimesOut() async throws {
        try await TestEnvironment.runExclusively {
            let (probe, watcher) = try startFilmInPictureInPicture()
            try probe.send("answer a held", "stop a")
            #expect(try probe.wait(for: "a didStop").hasSuffix("reason=stopped"))
            try watcher.waitForNoWindow(.pictureInPicture)
            try probe.send("complete a true", "answer a never")
            try probe.wait(for: "a completed")
            // The late call of the completion handler does not affect the next start of Picture-in-Picture.
            try probe.startPictureInPicture("a")
            try probe.send("complete a true")
            try probe.wait(for: "a completed", times: 2)
            #expect(try probe.state(of: "a").contains("active=true"))
            #expect(probe.delegateCalls(of: "a") == Self.startAndRestoreCalls + Self.startCalls)
            try probe.quit()
        }
    }

    @Test("a restore that is completed twice, or by two threads at once, stops once", arguments: ["twice", "thread"])
    func restoreCallCompletedTwiceStopsOnce(completion: String) async throws {
        try await TestEnvironment.runExclusively {
            let (probe, watcher) = try startFilmInPictureInPicture()
            try probe.send("answer a \(completion)", "stop a")
            try probe.wait(for: "a didStop")
            try watcher.waitForNoWindow(.pictureInPicture)
            try probe.send("answer a yes")
            try probe.startPictureInPicture("a")
            try probe.send("stop a")
            try probe.wait(for: "a didStop", times: 2)
            #expect(probe.delegateCalls(of: "a") == Self.startAndRestoreCalls + Self.startAndRestoreCalls)
            try probe.quit()
        }
    }

    @Test("if restore completes while the layer is hidden, the layer shows the frames once it is visible")
    func hiddenLayerShowsTheFramesOnceVisible() async throws {
        try await TestEnvironment.runExclusively {
            let (probe, watcher) = try startFilmInPictureInPicture()
            try probe.send("hide a")
            try watcher.waitForNoWindow(.title("a"))
            let frame = try watcher.waitForFrame(in: .pictureInPicture)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > frame + 5 }
            try probe.send("stop a")
            try probe.wait(for: "a didStop")
            try watcher.waitForNoWindow(.pictureInPicture)
            try probe.send("show a")
            let shownFrame = try watcher.waitForFrame(in: .title("a")) { $0 > frame }
            try watcher.waitForFrame(in: .title("a")) { $0 > shownFrame + 5 }
            #expect(probe.delegateCalls(of: "a") == Self.startAndRestoreCalls)
            try probe.quit()
        }
    }

    @Test("an impossible start fails without willStart, and the layer drops no frames", .measuresTime)
    func impossibleStartFailsWithoutWillStart() async throws {
        try await TestEnvironment.runExclusively {
            let probe = try RunningProbe(environment: ["SWIFTPLAY_COMPOSITOR": "/nowhere/compositor"]),
                watcher = try ScreenWatcher()
            try probe.send("film a \(Fixtures.path("count30.mp4")) 320x180+50+60", "film b none")
            let recorder = try ScreenRecorder([.title("a")])
            let startChange = try recorder.wait { ($0.frame ?? 0) >= 10 }
            for scene in ["a", "b"] {
                try probe.send("start \(scene)")
                #expect(try probe.wait(for: "\(scene) failed") == "\(scene) failed active=false place=layer code=-1001")
                #expect(probe.delegateCalls(of: scene) == ["failed"])
                #expect(try probe.state(of: scene).contains("active=false possible=false reason=none place=layer"))
            }
            let endChange = try recorder.wait { ($0.frame ?? 0) >= (startChange.frame ?? 0) + 30 }
            #expect(recorder.stopRecording().between(startChange.time, endChange.time).missedFrameNumbers.count <= 2)
            #expect(!watcher.windowExists(.pictureInPicture))
            try probe.quit()
        }
    }

    @Test(
        "a compositor crash calls willStop and didStop but not restore, and playback continues",
        arguments: [false, true])
    func compositorCrashStopsPictureInPicture(isRestoring: Bool) async throws {
        try await TestEnvironment.runExclusively {
            let (probe, watcher) = try startFilmInPictureInPicture()
            if isRestoring {
                try probe.send("answer a held", "stop a")
                try probe.wait(for: "a restore")
            }
            kill(try probe.compositorPID(), SIGKILL)
            #expect(try probe.wait(for: "a didStop") == "a didStop active=false place=layer reason=failed")
            if isRestoring { try probe.send("complete a true") }
            let frame = try watcher.waitForFrame(in: .title("a"))
            try watcher.waitForFrame(in: .title("a")) { $0 > frame + 10 }
            #expect(try probe.state(of: "a").contains("rate=1.0"))
            #expect(probe.delegateCalls(of: "a") == (isRestoring ? Self.startAndRestoreCalls : Self.startAndCloseCalls))
            // Picture-in-Picture can be started again.
            try probe.wait(for: "a is possible true", times: 2)
            try probe.startPictureInPicture("a")
            try probe.quit()
        }
    }

    @Test("releasing the controller closes its window without delegate calls, and playback continues")
    func releasingTheControllerClosesItsWindow() async throws {
        try await TestEnvironment.runExclusively {
            let (probe, watcher) = try startFilmInPictureInPicture()
            let compositor = try probe.compositorPID()
            #expect(ProcessUsage.memoryMaps(of: compositor).contains { $0.contains("memfd:swiftplay-frame") })
            try probe.send("release a")
            try probe.wait(for: "a released")
            try watcher.waitForNoWindow(.pictureInPicture)
            let frame = try watcher.waitForFrame(in: .title("a"))
            try watcher.waitForFrame(in: .title("a")) { $0 > frame + 10 }
            #expect(probe.delegateCalls(of: "a") == Self.startCalls)
            let state = try probe.state(of: "a")
            #expect(state.contains("rate=1.0") && state.contains("place=layer"))
            // The compositor no longer maps frames of the film.
            #expect(!ProcessUsage.memoryMaps(of: compositor).contains { $0.contains("memfd:swiftplay-frame") })
            try probe.wait(for: "a is active over")
            try probe.quit()
        }
    }

    @Test("a second start and a stop without a start have no effect")
    func repeatedStartsAndStopsHaveNoEffect() async throws {
        try await TestEnvironment.runExclusively {
            let (probe, watcher) = try startFilmInPictureInPicture()
            try probe.send("start a", "startWhenPossible a")
            #expect(try probe.state(of: "a").contains("active=true"))
            _ = try watcher.waitForFloatingWindow()
            try probe.send("stop a")
            try probe.wait(for: "a didStop")
            try watcher.waitForNoWindow(.pictureInPicture)
            try probe.send("stop a", "close a", "stop a")
            let state = try probe.state(of: "a")
            #expect(state.contains("active=false") && state.contains("rate=1.0"))
            #expect(probe.delegateCalls(of: "a") == Self.startAndRestoreCalls)
            try probe.quit()
        }
    }

    @Test("a stop during the start waits for didStart", arguments: ["stop", "close"])
    func stopDuringTheStartWaitsForDidStart(command: String) async throws {
        try await TestEnvironment.runExclusively {
            let probe = try RunningProbe(), watcher = try ScreenWatcher()
            try probe.openFilm("a", "count30.mp4")
            try probe.send("on a willStart \(command) a", "start a")
            try probe.wait(for: "a didStop")
            try watcher.waitForNoWindow(.pictureInPicture)
            #expect(probe.delegateCalls(of: "a") == Self.startAndCloseCalls)
            #expect(try probe.state(of: "a").contains(command == "stop" ? "rate=1.0" : "rate=0.0"))
            // A stop or start that is requested during a delegate call takes effect after the start or stop in
            // progress.
            try probe.send("play a", "on a didStart stop a", "on a didStop start a", "start a")
            try probe.wait(for: "a didStart", times: 3)
            #expect(
                probe.delegateCalls(of: "a") == Self.startAndCloseCalls + Self.startAndRestoreCalls + Self.startCalls)
            try probe.quit()
        }
    }

    @Test("a second controller takes over the window after the first has stopped without calling restore")
    func secondControllerTakesOverTheWindow() async throws {
        try await TestEnvironment.runExclusively {
            let (probe, watcher) = try startFilmInPictureInPicture()
            try probe.openFilm("b", "count30.mp4", geometry: "320x180+450+60")
            try probe.startPictureInPicture("b")
            #expect(
                probe.delegateCalls(of: "a", "b") == [
                    "a willStart", "a didStart", "a willStop", "a didStop", "b willStart", "b didStart",
                ])
            #expect(probe.outputLines(of: "a", "didStop").first?.hasSuffix("reason=replaced") == true)
            _ = try watcher.waitForFloatingWindow()
            // A controller in another process also takes over the window.
            let otherProbe = try RunningProbe(directory: probe.directory)
            try otherProbe.openFilm("c", "count30.mp4", geometry: "320x180+850+60")
            try otherProbe.startPictureInPicture("c")
            try probe.wait(for: "b didStop")
            #expect(probe.delegateCalls(of: "b") == Self.startAndCloseCalls)
            #expect(otherProbe.delegateCalls(of: "c") == Self.startCalls)
            _ = try watcher.waitForFloatingWindow()
            let frame = try watcher.waitForFrame(in: .title("b"))
            try watcher.waitForFrame(in: .title("b")) { $0 > frame + 10 }
            try otherProbe.quit()
            try probe.quit()
        }
    }

    @Test("a stopped program loses its window to another program, and is notified when it runs again")
    func stoppedProgramLosesItsWindow() async throws {
        try await TestEnvironment.runExclusively {
            let (probe, watcher) = try startFilmInPictureInPicture()
            let otherProbe = try RunningProbe(directory: probe.directory)
            try otherProbe.openFilm("b", "count30.mp4", geometry: "320x180+450+60")
            try probe.send("on a didStop start a")
            _ = try probe.state(of: "a")
            probe.child.signal(SIGSTOP)
            try otherProbe.startPictureInPicture("b")
            _ = try watcher.waitForFloatingWindow()
            probe.child.signal(SIGCONT)
            // The program closes the lost window and starts Picture-in-Picture again. Late messages about the lost
            // window do not affect the new window.
            try probe.wait(for: "a didStart", times: 2)
            #expect(probe.delegateCalls(of: "a") == Self.startAndCloseCalls + Self.startCalls)
            try otherProbe.wait(for: "b didStop")
            try otherProbe.quit()
            try probe.quit()
        }
    }
}
