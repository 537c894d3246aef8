import CXCB
import Testing

@testable import VideoOutput

@Suite struct XKeyNamesTests {
    /// Returns the mpv name of a key that is pressed together with modifiers; nil if it has no name.
    private func name(_ keysym: UInt32, _ modifiers: xcb_mod_mask_t...) -> String? {
        XKeyNames.name(of: keysym, state: UInt16(truncatingIfNeeded: modifiers.reduce(0) { $0 | $1.rawValue }))
    }

    @Test("Characters are their own names", arguments: [(0x61, "a"), (0x41, "A"), (0x3f, "?"), (0xe4, "ä")])
    func charactersAreTheirOwnNames(_ keysym: UInt32, _ expected: String) {
        #expect(name(keysym) == expected)
    }

    @Test("Symbols beyond Latin-1 are named by their character, old and new notation alike")
    func charactersBeyondLatin1AreTheirOwnNames() {
        // The Cyrillic letter ef has an old keysym, 0x6c6; keysyms from 0x0100_0000 on are Unicode characters.
        #expect(name(0x6c6) == "ф" && name(0x0100_0444) == "ф")
    }

    @Test(
        "Keys without a character have mpv's names",
        arguments: [
            (0x20, "SPACE"), (0xff0d, "ENTER"), (0xff1b, "ESC"), (0xff08, "BS"), (0xffff, "DEL"), (0xff51, "LEFT"),
            (0xff54, "DOWN"), (0xff56, "PGDWN"), (0x1008_ff14, "PLAYPAUSE"), (0x1008_ff12, "MUTE"),
        ])
    func keysWithoutACharacterHaveMpvNames(_ keysym: UInt32, _ expected: String) {
        #expect(name(keysym) == expected)
    }

    @Test("The function keys are F1 to F12")
    func functionKeysAreNamedF1ToF12() {
        #expect((0xffbe...0xffc9).map { name($0) } == (1...12).map { "F\($0)" })
        #expect(name(0xffca) == nil)
    }

    @Test("The keypad has the same names with and without Num Lock, except for 0")
    func keypadNamesDoNotDependOnNumLockExceptForZero() {
        let keysymsWithoutNumLock: [UInt32] = [0xff9c, 0xff99, 0xff9b, 0xff96, 0xff9d, 0xff98, 0xff95, 0xff97, 0xff9a]
        #expect(keysymsWithoutNumLock.map { name($0) } == (1...9).map { "KP\($0)" })
        #expect((0xffb0...0xffb9).map { name($0) } == (0...9).map { "KP\($0)" })
        #expect(name(0xff9e) == "KP_INS")
    }

    @Test("Shift is part of a character, but a prefix of other keys")
    func shiftIsAPrefixOnlyOfKeysWithoutACharacter() {
        #expect(name(0x41, XCB_MOD_MASK_SHIFT) == "A")
        #expect(name(0xff51, XCB_MOD_MASK_SHIFT) == "Shift+LEFT")
        #expect(name(0x20, XCB_MOD_MASK_SHIFT) == "Shift+SPACE")
    }

    @Test("Modifiers precede the name in mpv's order")
    func modifiersPrecedeTheNameInMpvOrder() {
        #expect(name(0x61, XCB_MOD_MASK_4, XCB_MOD_MASK_1, XCB_MOD_MASK_CONTROL) == "ctrl+alt+meta+a")
        #expect(name(0xff51, XCB_MOD_MASK_CONTROL, XCB_MOD_MASK_SHIFT) == "Shift+ctrl+LEFT")
    }

    @Test("Caps Lock, Num Lock and pressed buttons are no prefixes")
    func lockKeysAndPressedButtonsAreNoPrefixes() {
        #expect(name(0x61, XCB_MOD_MASK_LOCK, XCB_MOD_MASK_2) == "a")
        #expect(XKeyNames.name(of: 0xff51, state: UInt16(XCB_BUTTON_MASK_1.rawValue)) == "LEFT")
    }

    @Test("Modifier keys, dead keys and control characters have no name", arguments: [0, 0xffe1, 0xfe50, 0x0100_0085])
    func modifiersDeadKeysAndControlCharactersHaveNoName(_ keysym: UInt32) {
        #expect(name(keysym) == nil)
    }
}
