import Testing

@testable import SwiftPlayCLI

@Suite struct KeyMapTests {
    /// Returns the key map of an `input.conf`.
    private func map(_ text: String, keepsDefaults: Bool = true) -> KeyMap {
        KeyMap(bindings: InputConfiguration(parsing: text).bindings, keepsDefaults: keepsDefaults)
    }

    /// Returns the bindings of a key as `input-bindings` lists them.
    private func descriptions(of key: String, _ map: KeyMap, added: [String: String] = [:]) -> [JSONValue] {
        KeyBindings.descriptions(map, addedBindings: added).filter {
            guard case .object(let members) = $0 else { return false }
            return members["key"] == .string(key)
        }
    }

    @Test func theLastLineOfAKeyApplies() {
        let map = map("b quit\nb seek 5\nm ignore\na show-text x")
        #expect(map.steps(for: "b") == [.command(.seek(5))] && map.line(of: "b") == 2)
        #expect(map.steps(for: "m") == [] && map.line(of: "m") == 3)
        #expect(map.steps(for: "SPACE") == [.command(.togglePause)] && map.line(of: "SPACE") == nil)
        #expect(map.steps(for: "nokey") == [])
        #expect(map.configuredKeys == ["a", "b"] && map.configuredBindings.map(\.key) == ["b", "m", "a"])
        #expect(self.map("b quit", keepsDefaults: false).steps(for: "SPACE") == [])
    }

    @Test func mapsAreEqualIfTheirBindingsAre() {
        #expect(map("b quit") == map("b quit") && map("b quit") != map("b seek 5") && map("b quit") != map("c quit"))
        #expect(map("b quit") != map("b quit", keepsDefaults: false))
    }

    @Test func theBindingsOfTheConfigurationAreListedBesideTheBuiltInOnes() {
        let map = map(
            """
            m   show-text "a # b" ; seek 30   #  my comment
            F1 ignore
            """)
        #expect(
            descriptions(of: "m", map) == [
                ["key": "m", "cmd": "cycle mute", "is_weak": true, "section": "default", "priority": 0],
                [
                    "key": "m", "cmd": "show-text \"a # b\" ; seek 30", "is_weak": false, "section": "default",
                    "priority": 1, "comment": "my comment",
                ],
            ])
        #expect(
            descriptions(of: "F1", map) == [
                ["key": "F1", "cmd": "ignore", "is_weak": false, "section": "default", "priority": 1]
            ])
    }

    @Test func theBindingOfAClientReplacesThatOfTheConfiguration() {
        let added: JSONValue = [
            "key": "b", "cmd": "quit", "is_weak": false, "section": "default", "priority": 1,
        ]
        #expect(descriptions(of: "b", map("b seek 30"), added: ["b": "quit"]) == [added])
        #expect(descriptions(of: "b", map(""), added: ["b": "quit"]) == [added])
    }

    @Test func builtInBindingsThatAreOffHaveANegativePriority() {
        #expect(
            descriptions(of: "m", map("", keepsDefaults: false)) == [
                ["key": "m", "cmd": "cycle mute", "is_weak": true, "section": "default", "priority": -1]
            ])
    }
}
