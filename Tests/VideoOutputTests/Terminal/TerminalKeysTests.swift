import Testing

@testable import VideoOutput

@Suite struct TerminalKeysTests {
    @Test func theModifierParameterIsOneMoreThanItsBits() {
        #expect(TerminalKeys.Modifiers(parameter: 2) == .shift)
        #expect(TerminalKeys.Modifiers(parameter: 3) == .alt)
        #expect(TerminalKeys.Modifiers(parameter: 5) == .control)
        #expect(TerminalKeys.Modifiers(parameter: 9) == .meta)
        #expect(TerminalKeys.Modifiers(parameter: 16) == [.shift, .alt, .control, .meta])
    }

    @Test(arguments: [-1, 0, 1]) func parametersBelowTwoHaveNoModifiers(_ parameter: Int) {
        #expect(TerminalKeys.Modifiers(parameter: parameter).isEmpty)
    }

    @Test func lockKeysAreIgnored() {
        // The kitty keyboard protocol encodes caps lock as 64 and num lock as 128.
        #expect(TerminalKeys.Modifiers(parameter: 1 + 64 + 128).isEmpty)
        #expect(TerminalKeys.Modifiers(parameter: 1 + 64 + 4) == .control)
    }

    @Test func modifiersFollowTheOrderOfMPV() {
        let allModifiers: TerminalKeys.Modifiers = [.meta, .alt, .control, .shift]
        #expect(allModifiers.prefix == "Shift+ctrl+alt+meta+")
        #expect(([] as TerminalKeys.Modifiers).prefix.isEmpty)
    }

    @Test func everyControlCodeHasAName() {
        for code in 0...0x1f as ClosedRange<UInt8> {
            let name = TerminalKeys.name(of: Unicode.Scalar(code))
            #expect(name.unicodeScalars.allSatisfy { $0.value > 0x20 } && name.count > 1, "\(code) is \(name)")
        }
    }

    @Test func shiftIsDroppedFromCharactersAndKeptForNamedKeys() {
        #expect(TerminalKeys.name(of: "A", .shift) == "A")
        #expect(TerminalKeys.name(of: "a", [.shift, .control]) == "ctrl+a")
        #expect(TerminalKeys.name(of: "\r", .shift) == "Shift+ENTER")
    }

    @Test func altFollowsShiftAndControl() {
        #expect(TerminalKeys.addingAlt(to: "LEFT") == "alt+LEFT")
        #expect(TerminalKeys.addingAlt(to: "Shift+LEFT") == "Shift+alt+LEFT")
        #expect(TerminalKeys.addingAlt(to: "Shift+ctrl+LEFT") == "Shift+ctrl+alt+LEFT")
    }

    @Test func altIsNotAddedTwice() {
        #expect(TerminalKeys.addingAlt(to: "alt+x") == "alt+x")
        #expect(TerminalKeys.addingAlt(to: "ctrl+alt+x") == "ctrl+alt+x")
    }

    @Test func keypadDigitsAndEnterHaveNames() {
        for digit in 0...9 as ClosedRange<UInt8> {
            #expect(TerminalKeys.nameOfApplicationKey([UInt8(ascii: "p") + digit]) == "KP\(digit)")
        }
        #expect(TerminalKeys.nameOfApplicationKey([UInt8(ascii: "M")]) == "KP_ENTER")
        #expect(TerminalKeys.nameOfApplicationKey(Array("5M".utf8)) == "ctrl+KP_ENTER")
        #expect(TerminalKeys.nameOfApplicationKey([]) == nil)
        #expect(TerminalKeys.nameOfApplicationKey([UInt8(ascii: "z")]) == nil)
    }

    @Test(arguments: ["é", "日", "🎬"]) func aCharacterIsIncompleteUntilItsLastByte(_ text: String) {
        let bytes = Array(text.utf8)
        for count in 1..<bytes.count {
            #expect(TerminalKeys.decodeCharacter(Array(bytes.prefix(count))) == .incomplete)
        }
        #expect(TerminalKeys.decodeCharacter(bytes) == .complete(text))
    }

    @Test(arguments: [0x80, 0xbf, 0xc0, 0xc1, 0xf5, 0xff] as [UInt8])
    func invalidLeadingBytesAreRejected(_ byte: UInt8) {
        #expect(TerminalKeys.decodeCharacter([byte]) == .invalid(nil))
    }

    @Test func theByteThatInterruptsACharacterIsReturned() {
        #expect(TerminalKeys.decodeCharacter([0xe6, UInt8(ascii: "q")]) == .invalid(UInt8(ascii: "q")))
        #expect(TerminalKeys.decodeCharacter([0xe6, 0x97, 0x1b]) == .invalid(0x1b))
    }

    @Test func surrogatesAndOverlongFormsAreInvalid() {
        #expect(TerminalKeys.decodeCharacter([0xed, 0xa0, 0x80]) == .invalid(nil))
        #expect(TerminalKeys.decodeCharacter([0xe0, 0x80, 0x80]) == .invalid(nil))
        #expect(TerminalKeys.decodeCharacter([0xf4, 0x90, 0x80, 0x80]) == .invalid(nil))
    }

    @Test func c1ControlCharactersAreNoKeys() {
        #expect(TerminalKeys.decodeCharacter([0xc2, 0x80]) == .complete(nil))
        #expect(TerminalKeys.decodeCharacter([0xc2, 0x9f]) == .complete(nil))
        #expect(TerminalKeys.decodeCharacter([0xc2, 0xa0]) == .complete("\u{a0}"))
    }
}
