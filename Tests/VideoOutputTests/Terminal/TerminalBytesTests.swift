import Testing

@testable import VideoOutput

@Suite struct TerminalBytesTests {
    /// Returns the bytes that `build` adds, as text.
    private func text(_ build: (inout TerminalBytes) -> Void) -> String {
        var bytes = TerminalBytes()
        build(&bytes)
        return String(decoding: bytes.bytes, as: UTF8.self)
    }

    @Test func numbersAreDecimalWithoutLeadingZeros() {
        for number in 0...9999 { #expect(text { $0.add(number: number) } == "\(number)") }
    }

    @Test func cursorPositionsStartAtOneWithTheRowFirst() {
        #expect(text { $0.moveCursor(x: 0, y: 0) } == "\u{1b}[1;1H")
        #expect(text { $0.moveCursor(x: 79, y: 23) } == "\u{1b}[24;80H")
    }

    @Test(arguments: [("a", 0x61), ("é", 0xe9), ("▀", 0x2580), ("🎬", 0x1f3ac)] as [(String, UInt32)])
    func scalarsAreUTF8(_ expected: String, _ scalar: UInt32) {
        #expect(text { $0.add(scalar: scalar) } == expected)
    }

    @Test(arguments: [0xd800, 0xdfff, 0x11_0000, .max] as [UInt32])
    func invalidScalarsAreReplaced(_ value: UInt32) {
        #expect(text { $0.add(scalar: value) } == "\u{fffd}")
    }

    @Test func directColoursHaveThreeChannels() {
        #expect(text { $0.add(colour: 0x01_20ff, .direct, isBackground: false) } == "38;2;1;32;255")
        #expect(text { $0.add(colour: 0x01_20ff, .direct, isBackground: true) } == "48;2;1;32;255")
    }

    @Test func indexedColoursHaveOneIndex() {
        #expect(text { $0.add(colour: 200, .indexed256, isBackground: false) } == "38;5;200")
        #expect(text { $0.add(colour: 16, .indexed256, isBackground: true) } == "48;5;16")
    }

    @Test func brightColoursUseTheirOwnCodes() {
        #expect(text { $0.add(colour: 7, .indexed16, isBackground: false) } == "37")
        #expect(text { $0.add(colour: 8, .indexed16, isBackground: false) } == "90")
        #expect(text { $0.add(colour: 7, .indexed16, isBackground: true) } == "47")
        #expect(text { $0.add(colour: 15, .indexed16, isBackground: true) } == "107")
    }

    @Test(arguments: [TerminalColours.direct, .indexed256, .indexed16])
    func theDefaultColourUsesTheResetCodes(_ colours: TerminalColours) {
        #expect(text { $0.add(colour: TerminalCell.defaultColour, colours, isBackground: false) } == "39")
        #expect(text { $0.add(colour: TerminalCell.defaultColour, colours, isBackground: true) } == "49")
    }

    @Test func piecesAreAppendedInOrder() {
        var bytes = TerminalBytes(capacity: 16)
        #expect(bytes.isEmpty && bytes.count == 0)
        bytes.add("ab" as StaticString)
        bytes.add("ü" as String)
        bytes.add([1, 2])
        bytes.add(3)
        bytes.add(4, 5)
        var moreBytes = TerminalBytes()
        moreBytes.add(6)
        bytes.add(moreBytes)
        bytes.addUninitialised(2) {
            $0[0] = 7
            $0[1] = 8
        }
        #expect(bytes.bytes == [97, 98, 0xc3, 0xbc, 1, 2, 3, 4, 5, 6, 7, 8])
        #expect(bytes.count == 12 && !bytes.isEmpty)
    }
}
