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

    @Test("every word is the encoding of the command that it decodes to")
    func everyWordRoundTrips() {
        let singleBits = (0..<64).map { UInt64(1) << UInt64($0) }
        for word in [0, .max] + singleBits + singleBits.map(~) {
            #expect(GateCommand(word: word).word == word)
            #expect(DuckCommand(word: word).word == word)
        }
    }

    @Test("times are encoded in whole microseconds, and the durations of ramps in steps of two milliseconds")
    func encodingRoundsDown() {
        #expect(GateCommand(word: GateCommand(isOpen: true, milliseconds: 1, time: 1_999).word).time == 1_000)
        let duck = DuckCommand(word: DuckCommand(decibels: 6, milliseconds: 251, time: 999).word)
        #expect(duck == DuckCommand(decibels: 6, milliseconds: 250, time: 0))
    }
}
