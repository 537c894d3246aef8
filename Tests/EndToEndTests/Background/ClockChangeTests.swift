import Foundation
import TestSupport
import Testing

/// Jumps of the calendar clock, with the real processes. A preloaded library moves their clock
/// (`Tests/StandIns/clock.c`).
@Suite struct ClockChangeTests {
    private let fixture: BackgroundFixture
    /// The file with the difference of the processes' clock to the real one, in seconds.
    private let clock: String

    init() throws {
        fixture = try BackgroundFixture()
        clock = fixture.scratch.file("clock")
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
}
