import Testing

@testable import AudioOutput

@Suite struct ChannelChoiceTests {
    private let surround = Speaker.layout(named: "5.1") ?? []
    /// The 5.1 speaker layout with side speakers instead of rear speakers.
    private let sideSurround = Speaker.layout(named: "5.1(side)") ?? []
    private let stereo: [Speaker] = [.frontLeft, .frontRight]

    @Test func mpvLayoutNamesAreParsed() {
        #expect(ChannelChoice(parsing: "auto-safe") == .automaticSafe && ChannelChoice(parsing: "auto") == .automatic)
        #expect(
            ChannelChoice(parsing: "5.1,stereo") == .layouts([surround, stereo])
                && ChannelChoice(parsing: "6") == .layouts([surround]))
        for text in ["", "loud", "5.1,loud", "9"] { #expect(ChannelChoice(parsing: text) == nil, "\(text)") }
    }

    @Test func layoutsThatTheDeviceDoesNotReportFallBackToStereo() {
        #expect(ChannelChoice.automaticSafe.candidates(for: surround, reported: []) == [stereo])
        #expect(
            ChannelChoice.automaticSafe.candidates(for: surround, reported: [stereo, surround.reversed()]) == [
                surround.reversed(), stereo,
            ])
        #expect(ChannelChoice.automaticSafe.candidates(for: sideSurround, reported: [surround]) == [surround, stereo])
        #expect(ChannelChoice.automaticSafe.candidates(for: [.frontCentre], reported: []) == [[.frontCentre], stereo])
        #expect(ChannelChoice.automatic.candidates(for: surround, reported: []) == [surround, stereo])
    }

    @Test func alsaOrdersRearChannelsBeforeCentre() {
        let order: [Speaker] = [.frontLeft, .frontRight, .backLeft, .backRight, .frontCentre, .lowFrequency]
        #expect(ALSAPCM.inALSAOrder(surround) == order)
        #expect(
            ALSAPCM.inALSAOrder(sideSurround)
                == [.frontLeft, .frontRight, .sideLeft, .sideRight, .frontCentre, .lowFrequency])
        #expect(ALSAPCM.inALSAOrder(Speaker.layout(named: "7.1") ?? []) == order + [.sideLeft, .sideRight])
    }
}
