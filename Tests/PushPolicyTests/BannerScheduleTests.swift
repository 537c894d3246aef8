import Testing

@testable import PushPolicy

@Suite struct BannerScheduleTests {
    @Test func theBannerFollowsTheCompletionOfTheProgram() {
        var banner = BannerSchedule(wakesProgram: true, now: .seconds(100))
        #expect(banner.checkTime(now: .seconds(110)) == false)
        #expect(banner.handleCompletion() == true)
        #expect(banner.handleCompletion() == false)
        #expect(banner.checkTime(now: .seconds(200)) == false)
    }

    @Test func theBannerWaitsThirtySecondsAtMost() {
        var banner = BannerSchedule(wakesProgram: true, now: .seconds(100))
        #expect(banner.checkTime(now: .seconds(129)) == false)
        #expect(banner.checkTime(now: .seconds(130)) == true)
        #expect(banner.handleCompletion() == false && banner.isShown)
    }

    @Test func aBannerWithoutAWakeIsShownAtOnce() {
        var banner = BannerSchedule(wakesProgram: false, now: .seconds(100))
        #expect(banner.checkTime(now: .seconds(100)) == true)
    }
}
