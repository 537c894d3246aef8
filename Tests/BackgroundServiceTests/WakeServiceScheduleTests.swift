import BackgroundProtocol
import FetchPolicy
import TestSupport
import Testing
import TransferPolicy

@testable import BackgroundService

/// Changes of clocks and conditions that the service notices.
@Suite struct WakeServiceScheduleTests {
    private let fixture: WakeFixture
    private let day = WakeFixture.day, hour: Int64 = 3600

    init() throws {
        fixture = try WakeFixture()
        for number in Int64(0)..<14 {
            try fixture.run(until: number * day + 13 * hour)
            try fixture.open()
        }
    }

    /// The text of the next fetch.
    private var nextFetch: String { get throws { try #require(fixture.wakes.snapshots().first).nextFetch } }

    @Test func afterASuspensionFetchesWait() throws {
        try fixture.run(until: 14 * day + 2 * hour)
        let count = fixture.fetchTimes.count
        fixture.services.time.suspended += 11 * hour * 1_000_000_000
        fixture.advance(by: 11 * hour)
        #expect(fixture.starter.running == nil)
        let end = fixture.seconds
        try fixture.run(until: end + 29)
        #expect(fixture.fetchTimes.count == count)
        try fixture.run(until: end + 91)
        #expect(fixture.fetchTimes.count == count + 1)
    }

    @Test func withoutANetworkNothingIsFetched() throws {
        var offline = MachineConditions()
        offline.connectivity = .offline
        fixture.services.transfers.handle(offline)
        fixture.advance(by: 1)
        #expect(try nextFetch == "when the network returns")
        let count = fixture.fetchTimes.count
        try fixture.run(until: 15 * day)
        #expect(fixture.fetchTimes.count == count)
        fixture.services.transfers.handle(MachineConditions())
        try fixture.run(until: 17 * day)
        #expect(fixture.fetchTimes.count > count)
    }

    @Test func habitsFollowTheTimeZone() throws {
        fixture.services.time.utcOffset = -5 * 3600
        fixture.advance(by: 1)
        let count = fixture.fetchTimes.count
        try fixture.run(until: 16 * day)
        let local = fixture.fetchTimes.dropFirst(count).map { ($0 - 5 * hour) % day }
        #expect(local.contains { (12 * hour + 1800...12 * hour + 3300).contains($0) }, "\(local)")
    }

    @Test func aCalendarThatIsSetKeepsTheMinimumInterval() throws {
        try fixture.run(until: 14 * day + 12 * hour + 3300)
        let last = try #require(fixture.fetchTimes.last)
        fixture.services.time.wall += day * 1_000_000_000
        _ = fixture.wakes.schedule()
        #expect(fixture.starter.running == nil && fixture.fetchTimes.last == last)
    }

    @Test func aPlannedFetchGoesAlongWithATransfer() throws {
        let start = 14 * day + 12 * hour + 1900
        try fixture.run(until: start)
        // The window of the fetch has begun, and ends 24 minutes later.
        #expect(try #require(fixture.fetchTimes.last) < start - 200 && fixture.starter.running == nil)
        _ = try fixture.services.start()
        _ = fixture.wakes.schedule()
        #expect(fixture.starter.running != nil)
    }
}
