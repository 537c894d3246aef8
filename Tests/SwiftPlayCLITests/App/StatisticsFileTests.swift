import SwiftPlayKit
import Testing

@testable import SwiftPlayCLI

@Suite struct DeinterlacingNameTests {
    @Test(arguments: [("auto", Player.Deinterlacing.automatic), ("yes", .always), ("no", .never)])
    func everyWordComesBack(_ word: String, _ value: Player.Deinterlacing) {
        #expect(Player.Deinterlacing(name: word) == value && value.name == word)
    }

    @Test func anOptionWithoutAValueIsYes() { #expect(Player.Deinterlacing(name: "") == .always) }

    @Test(arguments: ["YES", "on", "1", "bwdif", " yes"]) func otherWordsAreRefused(_ word: String) {
        #expect(Player.Deinterlacing(name: word) == nil)
    }
}

@Suite struct StatisticsFileTests {
    private func member(_ value: JSONValue, _ name: String) throws -> JSONValue {
        guard case .object(let members) = value else { throw IPCError.propertyFormat }
        return try #require(members[name])
    }

    @Test func countsAreWrittenByTheirNames() throws {
        var statistics = PlaybackStatistics()
        (statistics.framesDecoded, statistics.framesPresented, statistics.framesDropped) = (10, 8, 2)
        (statistics.audio.losses, statistics.audio.tries, statistics.audio.returns) = (1, 3, 1)
        (statistics.audio.underruns, statistics.audio.recoveries) = (4, 5)
        (statistics.synchronisation.offset, statistics.synchronisation.largestOffset) = (-0.5, 0.75)
        let json = StatisticsFile.json(statistics, of: nil, files: ["a.mp4"])
        #expect(try member(json, "audio-underruns") == 4 && member(json, "audio-recoveries") == 5)
        #expect(try member(json, "avsync") == -0.5 && member(json, "avsync-largest") == 0.75)
        #expect(
            try member(json, "frames-decoded") == 10 && member(json, "frames-presented") == 8
                && member(json, "frames-dropped") == 2)
        #expect(
            try member(json, "audio-losses") == 1 && member(json, "audio-tries") == 3
                && member(json, "audio-returns") == 1)
        #expect(try member(json, "files") == ["a.mp4"])
    }

    @Test func whatIsNotKnownIsNull() throws {
        let json = StatisticsFile.json(PlaybackStatistics(), of: nil, files: [])
        #expect(try member(json, "media") == .null && member(json, "first-frame-time") == .null)
        #expect(try member(member(json, "decode-times"), "mean") == .null)
        #expect(try member(member(json, "decode-times"), "histogram") == [])
    }

    @Test func aHandoffHasItsLengthInMilliseconds() throws {
        var statistics = PlaybackStatistics()
        statistics.handoffs = [.init(direction: .toPictureInPicture, requested: 1, completed: 1.25, frame: .max)]
        guard case .array(let handoffs) = try member(StatisticsFile.json(statistics, of: nil, files: []), "handoffs")
        else {
            Issue.record("no list")
            return
        }
        let handoff = try #require(handoffs.first)
        #expect(try member(handoff, "direction") == "start" && member(handoff, "milliseconds") == 250.0)
        #expect(try member(handoff, "frame") == .int(.max))
    }

    @Test func aFileThatCannotBeWrittenIsNamed() throws {
        let complaint = StatisticsFile.write(PlaybackStatistics(), of: nil, files: [], to: "/nowhere/stats.json")
        #expect(complaint == "cannot write /nowhere/stats.json: No such file or directory")
    }
}
