import FoundationEssentials
import Testing

@testable import SwiftPlayBackground

@Suite struct BackgroundFetchResultTests {
    @Test func resultsHaveApplesNumbersAlsoInMessages() {
        #expect(BackgroundFetchResult.allCases.map(\.rawValue) == [0, 1, 2])
        for result in BackgroundFetchResult.allCases { #expect(result.wakeResult.rawValue == result.rawValue) }
    }

    @Test func aNotificationIsDecoded() throws {
        struct Payload: Decodable { let feed: Int }
        let notification = RemoteNotification(Array("{\"aps\":{\"content-available\":1},\"feed\":7}".utf8))
        #expect(try notification.decoded(as: Payload.self).feed == 7)
        #expect(throws: DecodingError.self) { try RemoteNotification([0x7B]).decoded(as: Payload.self) }
    }

    @Test(
        arguments: [
            (0, 0), (-5, 0), (0.5, 1), (900, 900), (1e9, nil), (.infinity, nil), (.nan, 0),
            (BackgroundApplication.backgroundFetchIntervalMinimum, 0),
            (BackgroundApplication.backgroundFetchIntervalNever, nil),
        ] as [(TimeInterval, Int64?)])
    func intervalsAreWholeSeconds(_ interval: TimeInterval, _ seconds: Int64?) {
        #expect(BackgroundApplication.seconds(ofFetchInterval: interval) == seconds)
    }
}
