import Testing

@testable import AudioOutput

@Suite struct SpeakerTests {
    @Test("The numbers are the bits of the WAVEFORMATEXTENSIBLE channel mask")
    func speakerNumbersAreTheBitsOfTheChannelMask() {
        let order: [Speaker] = [
            .frontLeft, .frontRight, .frontCentre, .lowFrequency, .backLeft, .backRight, .frontLeftOfCentre,
            .frontRightOfCentre, .backCentre, .sideLeft, .sideRight,
        ]
        #expect(order.map(\.rawValue) == Array(0...10) && Speaker.allCases == order)
    }

    @Test("Every layout has its own name and its own speakers, in the order of the mask")
    func layoutsHaveDistinctNamesAndOrderedSpeakers() {
        let layouts = Speaker.layouts
        #expect(Set(layouts.map(\.name)).count == layouts.count)
        #expect(Set(layouts.map(\.speakers)).count == layouts.count)
        for layout in layouts {
            let numbers = layout.speakers.map(\.rawValue)
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "\(layout.name)")
        }
    }

    @Test("The two digits of a layout name such as 5.1 add up to the number of its speakers")
    func layoutNameContainsItsNumberOfSpeakers() {
        for (name, speakers) in Speaker.layouts where name.contains(".") {
            #expect(name.prefix(3).compactMap(\.wholeNumberValue).reduce(0, +) == speakers.count, "\(name)")
        }
    }

    @Test("One to eight channels have a usual layout with that many speakers", arguments: 1...8)
    func oneToEightChannelsHaveAUsualLayout(channels: Int) {
        #expect(Speaker.defaultLayout(channels: channels)?.count == channels)
    }

    @Test("Other numbers of channels have no usual layout", arguments: [-1, 0, 9, Int.max])
    func otherChannelCountsHaveNoUsualLayout(channels: Int) {
        #expect(Speaker.defaultLayout(channels: channels) == nil)
    }

    @Test("Layout names are exact", arguments: ["", "Stereo", "5.1 ", "5.1(back)", "9.1"])
    func unknownLayoutNameHasNoSpeakers(_ name: String) {
        #expect(Speaker.layout(named: name) == nil)
    }
}
