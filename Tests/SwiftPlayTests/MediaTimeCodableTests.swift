import Foundation
import Testing

@testable import SwiftPlay

@Suite struct MediaTimeCodableTests {
    /// Decodes a time from JSON.
    private func decode(_ text: String) throws -> MediaTime {
        try JSONDecoder().decode(MediaTime.self, from: Data(text.utf8))
    }

    @Test(arguments: [
        MediaTime(value: 1, timescale: 3), .zero, .invalid, .indefinite, .positiveInfinity, .negativeInfinity,
    ])
    func decodingReturnsTheEncodedTime(_ time: MediaTime) throws {
        let data = try JSONEncoder().encode([time])
        let decodedTimes = try JSONDecoder().decode([MediaTime].self, from: data)
        #expect(decodedTimes == [time] && decodedTimes[0].timescale == time.timescale)
    }

    @Test func decodingReturnsTheEncodedRange() throws {
        let range = MediaTimeRange(start: MediaTime(value: 1, timescale: 3), duration: .positiveInfinity)
        #expect(try JSONDecoder().decode(MediaTimeRange.self, from: JSONEncoder().encode(range)) == range)
    }

    @Test(arguments: [
        #"{"value": 1}"#, #"{"value": 1, "timescale": 0}"#, #"{"value": 1, "timescale": -600}"#,
        #"{"kind": "numeric"}"#, #"{"value": 1, "timescale": 2147483648}"#, "{}",
    ])
    func decodingRejectsMissingFieldsAndInvalidTimescales(_ text: String) {
        #expect(throws: DecodingError.self) { try decode(text) }
    }

    @Test func jsonContainsValueAndTimescaleOrTheKindOfTime() throws {
        #expect(try decode(#"{"value": 1, "timescale": 3}"#) == MediaTime(value: 1, timescale: 3))
        #expect(try decode(#"{"kind": "indefinite"}"#).isIndefinite)
    }
}
