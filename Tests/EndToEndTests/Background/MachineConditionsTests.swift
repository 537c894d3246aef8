import DesktopBus
import SystemCalls
import TestSupport
import Testing

/// Transfers while network and power change, with the real processes. python-dbusmock stands for the services of the
/// system.
@Suite struct MachineConditionsTests {
    private let bus: SessionBus
    private let fixture: BackgroundFixture

    init() throws {
        bus = try SessionBus()
        fixture = try BackgroundFixture(systemBus: bus.address)
    }

    @Test("a download stops on a metered network and behind a sign-in page, and goes on where it stopped")
    func aDownloadFollowsNetworkManager() throws {
        let network = try MockService(
            "networkmanager", name: "org.freedesktop.NetworkManager", path: "/org/freedesktop/NetworkManager", on: bus)
        try network.add("Metered", .uint32(4))
        let server = try ContentServer(pausesAt: 100_000)
        let command = try fixture.download([server.address()], ["--unmetered"])
        try fixture.waitForStoredPart(bytes: 100_000)
        try network.set("Metered", .uint32(3))
        try fixture.waitForListing("waiting for a network that is not metered")
        try network.set("Connectivity", .uint32(2))
        try fixture.waitForListing("waiting for the sign-in page")
        try network.set("Connectivity", .uint32(1))
        try fixture.waitForListing("waiting for a network connection")
        try network.set("Connectivity", .uint32(4))
        try fixture.waitForListing("waiting for a network that is not metered")
        #expect(server.requests.count == 1)
        try network.set("Metered", .uint32(2))
        #expect(try command.waitForExit(within: .seconds(20)).isSuccess)
        #expect(fixture.content("film.mkv") == server.content && server.requests.last?.rangeStart != nil)
    }

    /// Starts UPower for a machine on mains power whose battery has a charge of 15 %.
    private func startBattery() throws -> MockService {
        let power = try MockService(
            "upower", name: "org.freedesktop.UPower", path: "/org/freedesktop/UPower", on: bus)
        // Type battery, state discharging, 15 percent, energy, full energy, rate, times, present, icon, no warning.
        try power.mock(
            "SetupDisplayDevice",
            [
                .uint32(2), .uint32(2), .double(15), .double(10), .double(60), .double(5), .int64(7200), .int64(0),
                .bool(true), .string("battery"), .uint32(1),
            ])
        return power
    }

    @Test("a discretionary transfer waits for mains power, which UPower reports")
    func aDiscretionaryTransferFollowsUPower() throws {
        let power = try startBattery()
        try power.set("OnBattery", .bool(true))
        let server = try ContentServer()
        let program = try fixture.probe(["discretionary", server.address()])
        try fixture.waitForListing("waiting for mains power or a fuller battery")
        #expect(server.requests.isEmpty)
        try power.set("OnBattery", .bool(false))
        #expect(try program.waitForExit(within: .seconds(20)).isSuccess)
        #expect(fixture.content("1") == server.content)
    }

    @Test(
        "a moving discretionary transfer stops while the machine saves power or is low; an ordinary download goes on",
        arguments: [false, true])
    func aMovingDiscretionaryTransferFollowsThePower(isBattery: Bool) throws {
        let service =
            isBattery
            ? try startBattery()
            : try MockService(
                "power_profiles_daemon", name: "net.hadess.PowerProfiles", path: "/net/hadess/PowerProfiles", on: bus)
        func save(_ isSaving: Bool) throws {
            if isBattery { return try service.set("OnBattery", .bool(isSaving)) }
            try service.set("ActiveProfile", .string(isSaving ? "power-saver" : "balanced"))
        }
        let server = try ContentServer(pausesAt: 100_000), otherServer = try ContentServer(pausesAt: 100_000)
        let program = try fixture.probe(["discretionary", server.address()])
        try fixture.waitForStagedPart(bytes: 100_000)
        let command = try fixture.download([otherServer.address()])
        try fixture.waitForStoredPart(bytes: 100_000)
        try save(true)
        try fixture.waitForListing("waiting for mains power or a fuller battery")
        otherServer.release()
        #expect(try command.waitForExit(within: .seconds(20)).isSuccess && otherServer.requests.count == 1)
        #expect(program.isRunning && server.requests.count == 1)
        server.release()
        try save(false)
        #expect(try program.waitForExit(within: .seconds(20)).isSuccess)
        #expect(fixture.content("1") == server.content && server.requests.map(\.rangeStart) == [nil, 100_000])
    }

    @Test("without a network, moving transfers of both kinds stop, and go on where they stopped when it returns")
    func allMovingTransfersWaitForTheNetwork() throws {
        let network = try MockService(
            "networkmanager", name: "org.freedesktop.NetworkManager", path: "/org/freedesktop/NetworkManager", on: bus)
        let servers = try (0..<2).map { _ in try ContentServer(pausesAt: 100_000) }
        let program = try fixture.probe(["discretionary", servers[0].address()])
        try fixture.waitForStagedPart(bytes: 100_000)
        let command = try fixture.download([servers[1].address()])
        try fixture.waitForStoredPart(bytes: 100_000)
        try network.set("Connectivity", .uint32(1))
        let isWaiting = try Deadline.poll(for: .seconds(20), every: .milliseconds(50)) { () -> Bool? in
            let listing = try fixture.listing()
            // The paused servers are not what stops the transfers.
            guard !listing.contains("tries again") else { throw TestFailure(listing) }
            return listing.matches(of: /waiting for a network connection/).count == 2 ? true : nil
        }
        #expect(isWaiting == true && servers.allSatisfy { $0.requests.count == 1 })
        try network.set("Connectivity", .uint32(4))
        #expect(try command.waitForExit(within: .seconds(20)).isSuccess)
        #expect(try program.waitForExit(within: .seconds(20)).isSuccess)
        #expect(fixture.content("1") == servers[0].content && fixture.content("film.mkv") == servers[1].content)
        for server in servers { #expect(server.requests.map(\.rangeStart) == [nil, 100_000]) }
    }
}
