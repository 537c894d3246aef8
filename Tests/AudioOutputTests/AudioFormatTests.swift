import Testing

@testable import AudioOutput

@Suite struct AudioFormatTests {
    @Test("A number of channels selects the usual speakers; other numbers have no speakers")
    func channelCountSelectsTheUsualSpeakers() {
        #expect(AudioFormat(rate: 48_000, channels: 2).speakers == [.frontLeft, .frontRight])
        #expect(AudioFormat(rate: 48_000, channels: 6).speakers == Speaker.layout(named: "5.1"))
        let nineChannels = AudioFormat(rate: 48_000, channels: 9)
        #expect(nineChannels.speakers.isEmpty && nineChannels.channels == 9)
    }

    @Test("A list of speakers determines the number of channels")
    func speakerListDeterminesTheChannelCount() {
        #expect(AudioFormat(rate: 48_000, speakers: [.frontCentre]).channels == 1)
        #expect(AudioFormat(rate: 48_000, speakers: Speaker.layout(named: "7.1") ?? []).channels == 8)
    }

    @Test("Speakers that do not match the number of channels are ignored")
    func speakersThatDoNotMatchTheChannelCountAreIgnored() {
        let stereo: [Speaker] = [.frontLeft, .frontRight]
        #expect(AudioFormat(rate: 48_000, stereo, channels: 2).speakers == stereo)
        let format = AudioFormat(rate: 48_000, stereo, channels: 6)
        #expect(format.speakers.isEmpty && format.channels == 6)
    }

    @Test("Only the whole frames of a duration are counted")
    func onlyWholeFramesAreCounted() {
        let format = AudioFormat(rate: 48_000, channels: 2)
        #expect(format.frames(in: 1_000_000_000) == 48_000)
        #expect(format.frames(in: 999_999) == 47 && format.frames(in: 1_000_000) == 48)
        #expect(format.frames(in: 20_833) == 0 && format.frames(in: 20_834) == 1)
    }

    @Test("The duration of frames is rounded down to whole nanoseconds")
    func durationsAreRoundedDownToNanoseconds() {
        let format = AudioFormat(rate: 44_100, channels: 2)
        #expect(format.nanoseconds(of: 44_100) == 1_000_000_000)
        #expect(format.nanoseconds(of: 1) == 22_675)
        #expect(format.nanoseconds(of: -441) == -10_000_000)
    }

    @Test("A day of audio has no rounding error", arguments: [8000, 44_100, 48_000])
    func dayOfAudioHasNoRoundingError(rate: Int) {
        let format = AudioFormat(rate: rate, channels: 1)
        #expect(format.frames(in: 86_400_000_000_000) == 86_400 * rate)
        #expect(format.nanoseconds(of: 86_400 * rate) == 86_400_000_000_000)
    }

    @Test("A month of audio does not overflow", arguments: [8000, 48_000, 192_000, 768_000])
    func monthOfAudioDoesNotOverflow(rate: Int) {
        let format = AudioFormat(rate: rate, channels: 1), seconds: Int64 = 31 * 86_400
        #expect(format.frames(in: seconds * 1_000_000_000) == Int(seconds) * rate)
        #expect(format.nanoseconds(of: Int(seconds) * rate) == seconds * 1_000_000_000)
        #expect(format.nanoseconds(of: -Int(seconds) * rate) == -seconds * 1_000_000_000)
        #expect(format.nanoseconds(of: .max) == .max)
    }
}
