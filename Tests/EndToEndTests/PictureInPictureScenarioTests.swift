import Glibc
import SystemCalls
import TestSupport
import Testing

/// The scenarios of Picture-in-Picture as a program that embeds the library sees them, by their numbers in the
/// contract.
@Suite("Picture-in-Picture: scenarios")
struct PictureInPictureScenarioTests {
    static let untilActive = ["willStart", "didStart"]
    static let whole = untilActive + ["restore", "willStop", "didStop"]
    static let closed = untilActive + ["willStop", "didStop"]

    func floating(_ clip: String = "count30.mp4") throws -> (RunningProbe, ScreenWatcher) {
        let probe = try RunningProbe(), watcher = try ScreenWatcher()
        try probe.film("a", clip)
        try probe.start("a")
        try watcher.waitForFrame(in: .pictureInPicture)
        return (probe, watcher)
    }

    @Test("1: restore, then stop: in this order, the rate stays, and the layer has its frames before didStop")
    func restore() async throws {
        try await Desk.alone {
            let (probe, watcher) = try floating()
            let frame = try watcher.waitForFrame(in: .pictureInPicture)
            try Pointer.click(.restore, in: watcher.waitForFloatingWindow().area)
            #expect(try probe.wait(for: "a didStop") == "a didStop active=false place=layer reason=restored")
            #expect(probe.words(of: "a", "willStop") == ["a willStop active=true place=remote"])
            #expect(probe.words(of: "a", "willStart") == ["a willStart active=false place=layer"])
            #expect(probe.words(of: "a", "didStart") == ["a didStart active=true place=remote"])
            #expect(probe.calls(of: "a") == Self.whole)
            #expect(try probe.state(of: "a").contains("rate=1.0"))
            try watcher.waitForNoWindow(.pictureInPicture)
            try watcher.waitForFrame(in: .title("a")) { $0 >= frame }
            #expect(try probe.state(of: "a").contains("place=layer"))
            #expect(
                probe.words(of: "a", "is active") == ["a is active false", "a is active true", "a is active false"])
            try probe.quit()
        }
    }

    @Test("2: close is not restore: nobody is asked, and the player pauses")
    func close() async throws {
        try await Desk.alone {
            let (probe, watcher) = try floating()
            try Pointer.click(.close, in: watcher.waitForFloatingWindow().area)
            #expect(try probe.wait(for: "a didStop").hasSuffix("reason=closed"))
            #expect(probe.calls(of: "a") == Self.closed)
            #expect(try probe.state(of: "a").contains("rate=0.0"))
            try watcher.waitForNoWindow(.pictureInPicture)
            try probe.quit()
        }
    }

    @Test("3: restore is answered with false: the window goes, and the layer has its frames again")
    func restoreFails() async throws {
        try await Desk.alone {
            let (probe, watcher) = try floating()
            try probe.tell("answer a no", "stop a")
            // Nothing flies back: the layer alone has the frames.
            #expect(try probe.wait(for: "a didStop") == "a didStop active=false place=layer reason=stopped")
            try watcher.waitForNoWindow(.pictureInPicture)
            let frame = try watcher.waitForFrame(in: .title("a"))
            try watcher.waitForFrame(in: .title("a")) { $0 > frame + 10 }
            #expect(probe.calls(of: "a") == Self.whole)
            try probe.quit()
        }
    }

    @Test("4: restore is not answered: after a while it counts as false, and the answer that comes then as nothing")
    func restoreNeverAnswered() async throws {
        try await Desk.alone {
            let (probe, watcher) = try floating()
            try probe.tell("answer a held", "stop a")
            #expect(try probe.wait(for: "a didStop").hasSuffix("reason=stopped"))
            try watcher.waitForNoWindow(.pictureInPicture)
            try probe.tell("complete a true", "answer a never")
            try probe.wait(for: "a completed")
            // The next one is not touched by it.
            try probe.start("a")
            try probe.tell("complete a true")
            try probe.wait(for: "a completed", times: 2)
            #expect(try probe.state(of: "a").contains("active=true"))
            #expect(probe.calls(of: "a") == Self.whole + Self.untilActive)
            try probe.quit()
        }
    }

    @Test("5: restore is answered twice, and by two threads at once: one stop", arguments: ["twice", "thread"])
    func restoreTwice(manner: String) async throws {
        try await Desk.alone {
            let (probe, watcher) = try floating()
            try probe.tell("answer a \(manner)", "stop a")
            try probe.wait(for: "a didStop")
            try watcher.waitForNoWindow(.pictureInPicture)
            try probe.tell("answer a yes")
            try probe.start("a")
            try probe.tell("stop a")
            try probe.wait(for: "a didStop", times: 2)
            #expect(probe.calls(of: "a") == Self.whole + Self.whole)
            try probe.quit()
        }
    }

    @Test("6: the answer comes before the layer is on screen: the frames are seen when it is")
    func restoreBeforeLayout() async throws {
        try await Desk.alone {
            let (probe, watcher) = try floating()
            try probe.tell("hide a")
            try watcher.waitForNoWindow(.title("a"))
            let frame = try watcher.waitForFrame(in: .pictureInPicture)
            try watcher.waitForFrame(in: .pictureInPicture) { $0 > frame + 5 }
            try probe.tell("stop a")
            try probe.wait(for: "a didStop")
            try watcher.waitForNoWindow(.pictureInPicture)
            try probe.tell("show a")
            let shown = try watcher.waitForFrame(in: .title("a")) { $0 > frame }
            try watcher.waitForFrame(in: .title("a")) { $0 > shown + 5 }
            #expect(probe.calls(of: "a") == Self.whole)
            try probe.quit()
        }
    }

    @Test("7: a start that is not possible fails at once, without willStart, and the layer loses nothing")
    func notPossible() async throws {
        try await Desk.alone {
            let probe = try RunningProbe(environment: ["SWIFTPLAY_COMPOSITOR": "/nowhere/compositor"]),
                watcher = try ScreenWatcher()
            try probe.tell("film a \(Fixtures.path("count30.mp4")) 320x180+50+60", "film b none")
            let eyes = try ScreenRecorder([.title("a")])
            let begin = try eyes.wait { ($0.frame ?? 0) >= 10 }
            for scene in ["a", "b"] {
                try probe.tell("start \(scene)")
                #expect(try probe.wait(for: "\(scene) failed") == "\(scene) failed active=false place=layer code=-1001")
                #expect(probe.calls(of: scene) == ["failed"])
                #expect(try probe.state(of: scene).contains("active=false possible=false reason=none place=layer"))
            }
            let end = try eyes.wait { ($0.frame ?? 0) >= (begin.frame ?? 0) + 30 }
            #expect(eyes.finish().between(begin.time, end.time).missed.count <= 2)
            #expect(!watcher.windowExists(.pictureInPicture))
            try probe.quit()
        }
    }

    @Test(
        "9: the compositor dies: willStop and didStop, nobody is asked, and the player plays on",
        arguments: [false, true])
    func compositorDies(isRestoring: Bool) async throws {
        try await Desk.alone {
            let (probe, watcher) = try floating()
            if isRestoring {
                try probe.tell("answer a held", "stop a")
                try probe.wait(for: "a restore")
            }
            kill(try probe.compositor(), SIGKILL)
            #expect(try probe.wait(for: "a didStop") == "a didStop active=false place=layer reason=failed")
            if isRestoring { try probe.tell("complete a true") }
            let frame = try watcher.waitForFrame(in: .title("a"))
            try watcher.waitForFrame(in: .title("a")) { $0 > frame + 10 }
            #expect(try probe.state(of: "a").contains("rate=1.0"))
            #expect(probe.calls(of: "a") == (isRestoring ? Self.whole : Self.closed))
            // Another one can be opened.
            try probe.wait(for: "a is possible true", times: 2)
            try probe.start("a")
            try probe.quit()
        }
    }

    @Test("10: the controller goes while its window is there: the window goes, nobody is called, the player plays on")
    func release() async throws {
        try await Desk.alone {
            let (probe, watcher) = try floating()
            let compositor = try probe.compositor()
            #expect(ProcessMaps.lines(of: compositor).contains { $0.contains("memfd:swiftplay-frame") })
            try probe.tell("release a")
            try probe.wait(for: "a released")
            try watcher.waitForNoWindow(.pictureInPicture)
            let frame = try watcher.waitForFrame(in: .title("a"))
            try watcher.waitForFrame(in: .title("a")) { $0 > frame + 10 }
            #expect(probe.calls(of: "a") == Self.untilActive)
            let state = try probe.state(of: "a")
            #expect(state.contains("rate=1.0") && state.contains("place=layer"))
            // Nothing of the film is with the compositor any more.
            #expect(!ProcessMaps.lines(of: compositor).contains { $0.contains("memfd:swiftplay-frame") })
            try probe.wait(for: "a is active over")
            try probe.quit()
        }
    }

    @Test("11, 12: a second start does nothing; nor does a stop where nothing runs")
    func doubles() async throws {
        try await Desk.alone {
            let (probe, watcher) = try floating()
            try probe.tell("start a", "startWhenPossible a")
            #expect(try probe.state(of: "a").contains("active=true"))
            _ = try watcher.waitForFloatingWindow()
            try probe.tell("stop a")
            try probe.wait(for: "a didStop")
            try watcher.waitForNoWindow(.pictureInPicture)
            try probe.tell("stop a", "close a", "stop a")
            let state = try probe.state(of: "a")
            #expect(state.contains("active=false") && state.contains("rate=1.0"))
            #expect(probe.calls(of: "a") == Self.whole)
            try probe.quit()
        }
    }

    @Test("13: a stop during the start waits for didStart", arguments: ["stop", "close"])
    func stopDuringStart(verb: String) async throws {
        try await Desk.alone {
            let probe = try RunningProbe(), watcher = try ScreenWatcher()
            try probe.film("a", "count30.mp4")
            try probe.tell("on a willStart \(verb) a", "start a")
            try probe.wait(for: "a didStop")
            try watcher.waitForNoWindow(.pictureInPicture)
            #expect(probe.calls(of: "a") == Self.closed)
            #expect(try probe.state(of: "a").contains(verb == "stop" ? "rate=1.0" : "rate=0.0"))
            // From within any call: what it asks for comes after what that call belongs to.
            try probe.tell("play a", "on a didStart stop a", "on a didStop start a", "start a")
            try probe.wait(for: "a didStart", times: 3)
            #expect(probe.calls(of: "a") == Self.closed + Self.whole + Self.untilActive)
            try probe.quit()
        }
    }

    @Test(
        "14: a second controller takes the window over: the first has stopped before the second starts, and nobody is asked"
    )
    func secondController() async throws {
        try await Desk.alone {
            let (probe, watcher) = try floating()
            try probe.film("b", "count30.mp4", geometry: "320x180+450+60")
            try probe.start("b")
            #expect(
                probe.calls(of: "a", "b") == [
                    "a willStart", "a didStart", "a willStop", "a didStop", "b willStart", "b didStart",
                ])
            #expect(probe.words(of: "a", "didStop").first?.hasSuffix("reason=replaced") == true)
            _ = try watcher.waitForFloatingWindow()
            // In another process.
            let other = try RunningProbe(directory: probe.directory)
            try other.film("c", "count30.mp4", geometry: "320x180+850+60")
            try other.start("c")
            try probe.wait(for: "b didStop")
            #expect(probe.calls(of: "b") == Self.closed && other.calls(of: "c") == Self.untilActive)
            _ = try watcher.waitForFloatingWindow()
            let frame = try watcher.waitForFrame(in: .title("b"))
            try watcher.waitForFrame(in: .title("b")) { $0 > frame + 10 }
            try other.quit()
            try probe.quit()
        }
    }

    @Test("14: a program that is stuck loses its window all the same, and hears of it when it moves again")
    func stuckProgram() async throws {
        try await Desk.alone {
            let (probe, watcher) = try floating()
            let other = try RunningProbe(directory: probe.directory)
            try other.film("b", "count30.mp4", geometry: "320x180+450+60")
            try probe.tell("on a didStop start a")
            _ = try probe.state(of: "a")
            probe.child.signal(SIGSTOP)
            try other.start("b")
            _ = try watcher.waitForFloatingWindow()
            probe.child.signal(SIGCONT)
            // Its own window is given back, and the next one is not taken for it.
            try probe.wait(for: "a didStart", times: 2)
            #expect(probe.calls(of: "a") == Self.closed + Self.untilActive)
            try other.wait(for: "b didStop")
            try other.quit()
            try probe.quit()
        }
    }
}
