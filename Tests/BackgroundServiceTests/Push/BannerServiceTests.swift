import DesktopBus
import Logging
import PushPolicy
import SystemCalls
import TestSupport
import Testing

@testable import BackgroundService

/// Tests on a private message bus.
@Suite struct BannerServiceTests {
    private final class Time {
        var now: Int64 = 100_000_000_000
    }

    private let bus: SessionBus
    private let server: NotificationServer
    private let banners: BannerService
    private let time = Time()

    init() throws {
        bus = try SessionBus()
        server = try NotificationServer(on: bus)
        banners = Self.banners(bus.address, time)
    }

    private static func banners(_ address: String?, _ time: Time) -> BannerService {
        BannerService(address: { address }, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }) {
            time.now
        }
    }

    private func alert(_ body: String, title: String = "") throws -> PushAlert {
        try #require(PushAlert(title: title, body: body))
    }

    private func process(until isMet: () -> Bool) throws {
        try BusLoop.run([server.connection], [banners], now: { time.now }, until: isMet)
    }

    @Test func anAlertIsShownWithItsTitleOrTheNameOfTheProgram() throws {
        banners.show(try alert("a <b> & c"), of: "podcasts")
        banners.show(try alert("body", title: "Title & more"), of: "podcasts")
        try process { server.received.count == 2 }
        #expect(
            server.texts == [
                ["podcasts", "podcasts", "a &lt;b&gt; &amp; c"], ["podcasts", "Title & more", "body"],
            ])
    }

    @Test func theConnectionEndsWhenTheServerHasAnswered() throws {
        banners.show(try alert("a"), of: "podcasts")
        try process { banners.entries.isEmpty }
        #expect(server.received.count == 1 && banners.deadline == nil)
    }

    @Test func theBannerFollowsTheCompletionOfTheProgram() throws {
        banners.add(try alert("a"), of: "podcasts", id: 1)
        banners.add(try alert("b"), of: "podcasts", id: 2)
        banners.process([], now: time.now)
        #expect(banners.entries.isEmpty)
        banners.handleCompletion(id: 2)
        banners.handleCompletion(id: 2)
        try process { banners.entries.isEmpty }
        #expect(server.texts == [["podcasts", "podcasts", "b"]])
    }

    @Test func theBannerComesAfterThirtySecondsAtTheLatest() throws {
        banners.add(try alert("a"), of: "podcasts", id: 1)
        #expect(banners.deadline == time.now + 30 * MonotonicTime.nanosecondsPerSecond)
        time.now += 30 * MonotonicTime.nanosecondsPerSecond
        try process { server.received.count == 1 }
    }

    @Test func aReplacedNotificationHasNoBanner() throws {
        banners.add(try alert("a"), of: "podcasts", id: 1)
        banners.remove(id: 1)
        banners.handleCompletion(id: 1)
        #expect(banners.deadline == nil && banners.entries.isEmpty)
    }

    @Test func theOldestBannerIsShownIfThereAreTooMany() throws {
        for id in 0...Int64(BannerService.bannerLimit) { banners.add(try alert("\(id)"), of: "podcasts", id: id) }
        try process { server.received.count == 1 }
        #expect(server.texts[0][2] == "0")
    }

    @Test func aFloodWithoutAnAnswerIsDropped() throws {
        for number in 0..<100 { banners.show(try alert("\(number)"), of: "podcasts") }
        try process { banners.entries.isEmpty }
        #expect(server.received.count == BannerService.bannerLimit)
    }

    @Test func withoutABusNothingIsShown() throws {
        let banners = Self.banners("unix:path=/nowhere", time)
        banners.show(try alert("a"), of: "podcasts")
        #expect(banners.entries.isEmpty && banners.deadline == nil)
    }
}
