import Testing

@testable import SwiftPlayCLI

@Suite struct KeyNameTests {
    @Test(arguments: [
        ("b", "b"), ("B", "B"), ("SPACE", "SPACE"), ("F12", "F12"), ("Ctrl+c", "ctrl+c"), ("alt+ctrl+x", "ctrl+alt+x"),
        ("shift+LEFT", "Shift+LEFT"), ("+", "+"), ("ctrl++", "ctrl++"), ("ö", "ö"),
        ("space", "SPACE"), ("Ctrl+esc", "ctrl+ESC"), ("SHARP", "#"), ("#", "#"), ("sharp", "#"), ("shift+a", "A"),
        ("PLUS", "+"), ("mouse_btn3", "WHEEL_UP"), ("MBTN19", "MBTN19"),
    ])
    func namesAreSpeltInOneWay(_ name: String, _ canonical: String) { #expect(KeyName.canonical(name) == canonical) }

    @Test(arguments: ["", "nokey", "ctrl+", "hyper+x", " ", "F0", "F25", "KP10", "MBTN24"])
    func otherTextsAreNoKeys(_ name: String) { #expect(KeyName.canonical(name) == nil) }

    @Test func everyBuiltInKeyHasANameAndACommandOfTheIPC() {
        for (key, command) in KeyBindings.all {
            #expect(KeyName.canonical(key) == key, "\(key)")
            let parsed = IPCTextCommands.parse(Array(command.text.utf8)[...])
            #expect(parsed?.first.map { PlayerCommand.table[$0.name] != nil } == true, "\(command.text)")
        }
    }
}
