import FoundationEssentials
import HTTPTransfer
import Testing

@testable import SwiftPlay

/// Tests the text form of the logs: a header, and one line with a value for each field.
@Suite struct ExtendedLogTests {
    /// Returns the fields that a log names, and the values of its lines.
    private func parse(_ text: String) throws -> (fields: [Substring], rows: [[Substring]]) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first == "#Version: 1.0" && lines.last == "")
        let fields = try #require(lines.dropFirst().first).split(separator: " ")
        #expect(fields.first == "#Fields:")
        return (Array(fields.dropFirst()), lines.dropFirst(2).dropLast().map { $0.split(separator: " ") })
    }

    @Test func everyAccessLogFieldHasItsValue() throws {
        var event = AccessLog.Event(
            uri: "a.m3u8", playbackSessionID: "S", playbackStartOffset: 1.5, playbackType: "VOD")
        (event.serverAddress, event.numberOfServerAddressChanges, event.startupTime) = ("10.0.0.1", 2, 3)
        (event.durationWatched, event.numberOfStalls, event.numberOfDroppedVideoFrames) = (4, 5, 6)
        (event.numberOfMediaRequests, event.numberOfBytesTransferred, event.transferDuration) = (7, 8, 9)
        (event.segmentsDownloadedDuration, event.downloadOverdue, event.observedBitrate) = (10, 11, 12)
        (event.observedMinBitrate, event.observedMaxBitrate) = (13, 14)
        (event.observedBitrateStandardDeviation, event.indicatedBitrate) = (15, 16)
        (event.indicatedAverageBitrate, event.averageVideoBitrate) = (17, 18)
        (event.averageAudioBitrate, event.switchBitrate) = (19, 20)
        let (fields, rows) = try parse(AccessLog(events: [event]).extendedLogData())
        let values = Dictionary(uniqueKeysWithValues: zip(fields, try #require(rows.first)))
        #expect(fields.count == 24 && rows.map(\.count) == [24])
        let expected: [Substring: Substring] = [
            "s-uri": "a.m3u8", "s-ip": "10.0.0.1", "s-ip-changes": "2", "c-session-id": "S", "c-start-offset": "1.5",
            "s-playback-type": "VOD", "c-startup-time": "3.0", "c-duration-watched": "4.0", "c-stalls": "5",
            "c-frames-dropped": "6", "sc-count": "7", "sc-bytes": "8", "c-transfer-duration": "9.0",
            "c-duration-downloaded": "10.0", "c-overdue": "11", "c-observed-bitrate": "12.0",
            "c-observed-min-bitrate": "13.0", "c-observed-max-bitrate": "14.0", "c-observed-deviation": "15.0",
            "sc-indicated-bitrate": "16.0", "sc-indicated-average-bitrate": "17.0", "c-average-video-bitrate": "18.0",
            "c-average-audio-bitrate": "19.0", "c-switch-bitrate": "20.0",
        ]
        #expect(values == expected)
    }

    @Test func unknownServerAddressIsADash() throws {
        let event = AccessLog.Event(uri: "a", playbackSessionID: "S", playbackStartOffset: 0, playbackType: "FILE")
        let rows = try parse(AccessLog(events: [event, event]).extendedLogData()).rows
        #expect(rows.count == 2 && rows.allSatisfy { $0.count == 24 && $0[1] == "-" })
    }

    @Test func whitespaceInAFieldNeverSeparatesFieldsOrLines() throws {
        let event = ErrorLog.Event(
            date: Date.now, uri: "/my film.mp4", serverAddress: nil, playbackSessionID: "S", errorStatusCode: 5,
            errorDomain: "SwiftPlay", errorComment: "two\nlines\tand\r\na tab")
        let (fields, rows) = try parse(ErrorLog(events: [event]).extendedLogData())
        #expect(fields == ["s-uri", "s-ip", "c-session-id", "sc-status", "s-domain", "s-comment"])
        #expect(rows == [["/my+film.mp4", "-", "S", "5", "SwiftPlay", "two+lines+and+a+tab"]])
    }

    @Test func logWithoutEventsHasOnlyItsHeader() throws {
        #expect(try parse(AccessLog(events: []).extendedLogData()).rows.isEmpty)
    }

    @Test(arguments: [
        (HTTPError.Code.cancelled, -999), (.invalidAddress, -1000), (.unreachable, -1004), (.incomplete, -1005),
        (.notResumable, -1005), (.refusedRedirect, -1007), (.protocolViolation, -1011), (.tooLarge, -1103),
        (.outOfResources, -1),
    ])
    func requestsWithoutAResponseHaveTheNumbersOfURLError(_ code: HTTPError.Code, _ number: Int) {
        let (domain, errorNumber) = ErrorLog.Event.number(of: code)
        #expect(domain == ErrorLog.Event.networkDomain && errorNumber == number)
    }
}
