import SwiftPlayKit
import Testing

@testable import SwiftPlayCLI

@Suite struct DeinterlacingNameTests {
    @Test(arguments: [("auto", Player.Deinterlacing.automatic), ("yes", .always), ("no", .never)])
    func eachNameMapsToItsModeAndBack(_ name: String, _ mode: Player.Deinterlacing) {
        #expect(Player.Deinterlacing(name: name) == mode && mode.name == name)
    }

    @Test func anOptionWithoutAValueMeansAlways() { #expect(Player.Deinterlacing(name: "") == .always) }

    @Test(arguments: ["YES", "on", "1", "bwdif", " yes"]) func unknownDeinterlacingNamesAreRefused(_ name: String) {
        #expect(Player.Deinterlacing(name: name) == nil)
    }
}

@Suite struct StatisticsFileTests {
    /// Returns the member `name` of a JSON object; throws if there is none.
    private func jsonMember(_ value: JSONValue, _ name: String) throws -> JSONValue {
        guard case .object(let members) = value else { throw IPCError.propertyFormat }
        return try #require(members[name])
    }

    @Test func countsAreWrittenUnderTheirNames() throws {
        var statistics = PlaybackStatistics()
        (statistics.framesDecoded, statistics.framesPresented, statistics.framesDropped) = (10, 8, 2)
        (statistics.audio.losses, statistics.audio.attempts, statistics.audio.returns) = (1, 3, 1)
        (statistics.audio.underruns, statistics.audio.recoveries) = (4, 5)
        (statistics.synchronisation.offset, statistics.synchronisation.largestOffset) = (-0.5, 0.75)
        let json = StatisticsFile.json(statistics, of: nil, files: ["a.mp4"])
        #expect(try jsonMember(json, "audio-underruns") == 4 && jsonMember(json, "audio-recoveries") == 5)
        #expect(try jsonMember(json, "avsync") == -0.5 && jsonMember(json, "avsync-largest") == 0.75)
        #expect(
            try jsonMember(json, "frames-decoded") == 10 && jsonMember(json, "frames-presented") == 8
                && jsonMember(json, "frames-dropped") == 2)
        #expect(
            try jsonMember(json, "audio-losses") == 1 && jsonMember(json, "audio-tries") == 3
                && jsonMember(json, "audio-returns") == 1)
        #expect(try jsonMember(json, "files") == ["a.mp4"])
    }

    @Test func unknownValuesAreNull() throws {
        let json = StatisticsFile.json(PlaybackStatistics(), of: nil, files: [])
        #expect(try jsonMember(json, "media") == .null && jsonMember(json, "first-frame-time") == .null)
        #expect(try jsonMember(jsonMember(json, "decode-times"), "mean") == .null)
        #expect(try jsonMember(jsonMember(json, "decode-times"), "histogram") == [])
    }

    @Test func aHandoffIsWrittenWithItsDurationInMilliseconds() throws {
        var statistics = PlaybackStatistics()
        statistics.handoffs = [.init(direction: .toPictureInPicture, requested: 1, completed: 1.25, frame: .max)]
        let json = StatisticsFile.json(statistics, of: nil, files: [])
        guard case .array(let handoffs) = try jsonMember(json, "handoffs") else {
            Issue.record("no list")
            return
        }
        let handoff = try #require(handoffs.first)
        #expect(try jsonMember(handoff, "direction") == "start" && jsonMember(handoff, "milliseconds") == 250.0)
        #expect(try jsonMember(handoff, "frame") == .int(.max))
    }

    @Test func theErrorNamesTheFileThatCannotBeWritten() throws {
        let message = StatisticsFile.write(PlaybackStatistics(), of: nil, files: [], to: "/nowhere/stats.json")
        #expect(message == "cannot write /nowhere/stats.json: No such file or directory")
    }
}
