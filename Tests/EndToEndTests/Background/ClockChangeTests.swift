import Foundation
import Glibc
import TestSupport
import Testing

/// Jumps of the clocks, with the real processes.
@Suite struct ClockChangeTests {
    private let fixture: BackgroundFixture
    /// The file with the difference of the processes' clock to the real one, in seconds.
    private let clock: String

    init() throws {
        fixture = try BackgroundFixture()
        clock = fixture.scratch.file("clock")
    }

    /// Lets a preloaded library move the calendar clock of all processes (`Tests/StandIns/clock.c`).
    private func replaceClock() throws {
        try Data(count: MemoryLayout<Int64>.size).write(to: URL(fileURLWithPath: clock))
        fixture.additions = [
            "LD_PRELOAD": try AudioDeviceStandIn.compiledLibraryPath("clock"), "SWIFTPLAY_CLOCK_FILE": clock,
        ]
    }

    /// Sets the difference of the clock of all processes to the real one, in seconds.
    private func setClock(_ difference: Int64) throws {
        // The processes have mapped the file, so it is not replaced.
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: clock))
        try file.write(contentsOf: withUnsafeBytes(of: difference) { Data($0) })
    }

    @Test(
        "a jump of the calendar during a transfer and a restart neither ends the transfer nor restarts it",
        arguments: [40, -3])
    func aJumpOfTheCalendarEndsNoTransfer(_ days: Int64) throws {
        try replaceClock()
        let server = try ContentServer(pausesAt: 100_000)
        _ = try fixture.download([server.address()], ["--no-wait"]).waitForExit()
        try fixture.waitForStoredPart(bytes: 100_000)
        try setClock(days * 86_400)
        #expect(try fixture.listing().contains("%"))
        for program in ["swiftplay-backgroundd", "swiftplay-transfer"] { try fixture.kill(program) }
        server.release()
        try fixture.waitForListing("done")
        #expect(fixture.content("film.mkv") == server.content)
        #expect(server.requests.map(\.rangeStart) == [nil, 100_000])
    }

    /// The number of bytes of the only transfer that survive a loss of power.
    private func durableLength() throws -> Int {
        let path = fixture.runtime.path + "/state/swiftplay/background/ledger.sqlite"
        let query = "SELECT durable FROM part"
        let script = "import sqlite3; print(sqlite3.connect('\(path)').execute('\(query)').fetchone()[0])"
        return Int(try run("python3", ["-c", script]).prefix { $0 != "\n" }) ?? -1
    }

    /// Sets the start of the machine for services that start from now on: its identifier, and the seconds since then.
    private func setMachineStart(_ name: String, uptime: Int) throws {
        let boot = fixture.scratch.file("boot-\(name)"), script = fixture.scratch.file("service-\(name)")
        try Data("\(name)\n".utf8).write(to: URL(fileURLWithPath: boot))
        let program = try Products.path("swiftplay-backgroundd")
        let text = """
            #!/bin/sh
            exec unshare --mount --time --boottime \(uptime) --monotonic \(uptime) sh -c '
                mount --bind \(boot) /proc/sys/kernel/random/boot_id && exec \(program) "$@"' sh "$@"

            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: script))
        chmod(script, 0o700)
        fixture.additions = ["SWIFTPLAY_BACKGROUNDD": script]
    }

    @Test(
        "after another start of the machine, long or short ago, a transfer continues at its last checkpoint",
        arguments: [(10_000_000, 0), (0, 10_000_000)])
    func anotherStartOfTheMachineEndsNoTransfer(_ uptimes: (Int, Int)) throws {
        guard geteuid() == 0 else { throw TestFailure("this test needs root, to change the start of the machine") }
        try setMachineStart("first", uptime: uptimes.0)
        let server = try ContentServer(pausesAt: 100_000)
        _ = try fixture.download([server.address()], ["--no-wait"]).waitForExit()
        try fixture.waitForStoredPart(bytes: 100_000)
        #expect(try fixture.swiftplay("transfers", "pause", "1").waitForExit().isSuccess)
        let isDurable = try Deadline.poll(for: .seconds(20), every: .milliseconds(100)) { () -> Bool? in
            try durableLength() == 100_000 ? true : nil
        }
        #expect(isDurable == true)
        for program in ["swiftplay-backgroundd", "swiftplay-transfer"] { try fixture.kill(program) }
        try setMachineStart("second", uptime: uptimes.1)
        server.release()
        #expect(try fixture.swiftplay("transfers", "resume", "1").waitForExit().isSuccess)
        try fixture.waitForListing("done")
        #expect(fixture.content("film.mkv") == server.content)
        #expect(server.requests.map(\.rangeStart) == [nil, 100_000])
    }
}
