import Testing

@testable import AudioPolicy

@Suite struct GainCommandTests {
    @Test("the word 0 means an open gate and no ducking")
    func zeroWordIsAnOpenGateWithoutDucking() {
        #expect(GateCommand(word: 0) == GateCommand(isOpen: true, milliseconds: 0, time: 0))
        #expect(DuckCommand(word: 0) == DuckCommand(decibels: 0, milliseconds: 0, time: 0))
    }

    @Test(arguments: [0, 30, 0x7FFF], [0, 1_000, 281_474_976_710_655_000])
    func gateCommandRoundTripsThroughItsSharedMemoryWord(milliseconds: Int, time: Int64) {
        for isOpen in [true, false] {
            let command = GateCommand(isOpen: isOpen, milliseconds: milliseconds, time: time)
            #expect(GateCommand(word: command.word) == command)
        }
    }

    @Test(arguments: [0, 14, 127], [0, 250, 500])
    func duckCommandRoundTripsThroughItsSharedMemoryWord(decibels: Int, milliseconds: Int) {
        let command = DuckCommand(decibels: decibels, milliseconds: milliseconds, time: 123_456_789_000)
        #expect(DuckCommand(word: command.word) == command)
    }

    @Test("values out of range are clamped")
    func gainCommandValuesOutOfRangeAreClamped() {
        #expect(
            GateCommand(word: GateCommand(isOpen: false, milliseconds: .max, time: -1).word)
                == GateCommand(isOpen: false, milliseconds: 0x7FFF, time: 0))
        #expect(
            DuckCommand(word: DuckCommand(decibels: 500, milliseconds: -4, time: 999).word)
                == DuckCommand(decibels: 127, milliseconds: 0, time: 0))
    }
}
