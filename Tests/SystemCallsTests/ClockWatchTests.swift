import Testing

@testable import SystemCalls

@Suite struct ClockWatchTests {
    @Test func aClockThatIsNotSetIsNoEvent() throws {
        let watch = try ClockWatch()
        #expect(try !Poll.waitReadable(watch.raw, until: 0))
        watch.drain()
        #expect(try !Poll.waitReadable(watch.raw, until: 0))
    }
}
