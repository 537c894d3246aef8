import BackgroundProtocol
import Testing

@testable import SwiftPlayBackground

@Suite struct BackgroundApplicationWakesTests {
    @Test func modesHaveTheNumbersOfMessages() {
        #expect(BackgroundApplication.Modes.fetch.rawValue == BackgroundModes.fetch.rawValue)
        #expect(BackgroundApplication.Modes.remoteNotification.rawValue == BackgroundModes.remoteNotification.rawValue)
    }
}
