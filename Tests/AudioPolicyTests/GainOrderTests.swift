import Testing

@testable import AudioPolicy

@Suite struct GainOrderTests {
    @Test("no bit set is the beginning: open, not lowered")
    func zero() {
        #expect(GateOrder(word: 0) == GateOrder(isOpen: true, milliseconds: 0, time: 0))
        #expect(DuckOrder(word: 0) == DuckOrder(decibels: 0, milliseconds: 0, time: 0))
    }

    @Test(arguments: [0, 30, 0x7FFF], [0, 1_000, 281_474_976_710_655_000])
    func gate(milliseconds: Int, time: Int64) {
        for isOpen in [true, false] {
            let order = GateOrder(isOpen: isOpen, milliseconds: milliseconds, time: time)
            #expect(GateOrder(word: order.word) == order)
        }
    }

    @Test(arguments: [0, 14, 127], [0, 250, 500])
    func duck(decibels: Int, milliseconds: Int) {
        let order = DuckOrder(decibels: decibels, milliseconds: milliseconds, time: 123_456_789_000)
        #expect(DuckOrder(word: order.word) == order)
    }

    @Test("what does not fit is cut to what does")
    func bounds() {
        #expect(
            GateOrder(word: GateOrder(isOpen: false, milliseconds: .max, time: -1).word)
                == GateOrder(isOpen: false, milliseconds: 0x7FFF, time: 0))
        #expect(
            DuckOrder(word: DuckOrder(decibels: 500, milliseconds: -4, time: 999).word)
                == DuckOrder(decibels: 127, milliseconds: 0, time: 0))
    }
}
