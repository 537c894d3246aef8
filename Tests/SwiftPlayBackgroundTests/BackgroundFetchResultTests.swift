import FoundationEssentials
import SystemCalls
import Testing

@testable import SwiftPlayBackground

@Suite struct BackgroundFetchResultTests {
    @Test func resultsHaveApplesNumbersAlsoInMessages() {
        #expect(BackgroundFetchResult.allCases.map(\.rawValue) == [0, 1, 2])
        for result in BackgroundFetchResult.allCases { #expect(result.wakeResult.rawValue == result.rawValue) }
    }

    @Test("a second call on another thread returns when the first result is stored: the program may exit then")
    func aSecondCallWaitsForTheFirst() throws {
        let hasReturned = Monitor(false), completion = Monitor<WakeCompletion?>(nil)
        let second = Monitor<NamedThread?>(nil)
        let handler = WakeCompletion { _ in
            let thread = try? NamedThread("second") {
                let isFirst = completion.withLock { $0 }?.call(.noData)
                hasReturned.update { $0 = isFirst == false }
            }
            second.withLock { $0 = thread }
            let end = MonotonicTime.now + 200_000_000
            #expect(hasReturned.wait(until: end) { $0 ? true : nil } == nil)
        }
        completion.withLock { $0 = handler }
        #expect(handler.call(.newData))
        second.withLock { $0 }?.join()
        #expect(hasReturned.withLock { $0 })
        completion.withLock { $0 = nil }
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
