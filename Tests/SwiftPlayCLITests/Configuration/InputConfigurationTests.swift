import Testing

@testable import SwiftPlayCLI

@Suite struct InputConfigurationTests {
    @Test func keysHaveCommands() {
        let text = """
            # comment
            x seek 30 ; set pause yes # later
              Ctrl+SHARP show-text "a ; b"
            q ignore
            Shift+right no-osd seek 1 exact
            Shift+a cycle pause
            + {default} add volume 5
            """
        let input = InputConfiguration(parsing: text)
        #expect(input.problems == [])
        #expect(input.bindings.map(\.key) == ["x", "ctrl+#", "q", "Shift+RIGHT", "A", "+"])
        #expect(input.bindings.map(\.line) == [2, 3, 4, 5, 6, 7])
        #expect(input.bindings[1].commands == [IPCCommand("show-text", [.string("a ; b")])])
        let map = KeyMap(bindings: input.bindings)
        #expect(
            map.steps(for: "x")
                == [.command(.seek(30)), .text(IPCCommand("set", [.string("pause"), .string("yes")]))])
        #expect(map.steps(for: "q") == [] && map.steps(for: "+") == [.command(.changeVolume(5))])
        #expect(map.steps(for: "A") == [.command(.togglePause)] && map.line(of: "A") == 6)
        guard case .text? = map.steps(for: "Shift+RIGHT").first else { return #expect(Bool(false), "no-osd is kept") }
    }

    @Test(arguments: ["FOO quit", "x", "x # y", "x nosuch", "x seek \"1", "x no-osd", "x {other} quit", "Hyper+x quit"])
    func anInvalidLineIsNamedAndTheOthersHold(_ line: String) {
        let input = InputConfiguration(parsing: "a quit\n\(line)\nb quit")
        #expect(input.problems.map(\.line) == [2] && input.bindings.map(\.key) == ["a", "b"])
    }

    @Test func otherKeysKeepTheirCommandsUnlessAnOptionForbidsIt() {
        let bindings = InputConfiguration(parsing: "m quit").bindings
        #expect(KeyMap(bindings: bindings).steps(for: "SPACE") == [.command(.togglePause)])
        #expect(KeyMap(bindings: bindings, keepsDefaults: false).steps(for: "SPACE") == [])
        #expect(KeyMap(bindings: bindings, keepsDefaults: false).steps(for: "m") == [.command(.quit)])
    }

    @Test(arguments: [
        ("cycle sub down", KeyBindings.Command.cycleTrack(.subtitle, by: -1)), ("cycle fullscreen", .toggleFullScreen),
        ("seek -5", .seek(-5)), ("multiply speed 1.1", .changeSpeed(1.1)), ("set speed 1.0", .resetSpeed),
        ("set fullscreen no", .leaveFullScreen), ("add chapter 1", .seekChapters(1)), ("frame_step", .stepFrames(1)),
        ("add sub-delay -0.1", .changeSubtitleDelay(-0.1)), ("ab-loop", .setNextABLoopPoint), ("quit", .quit),
        ("cycle-values loop-file inf no", .toggleLoopFile), ("repeatable playlist-next", .nextFile),
    ])
    func textCommandsBecomeBuiltInOnes(_ text: String, _ command: KeyBindings.Command) {
        let commands = IPCTextCommands.parse(ArraySlice(text.utf8)) ?? []
        #expect(commands.count == 1 && KeyBindings.Command(commands[0]) == command)
    }
}
