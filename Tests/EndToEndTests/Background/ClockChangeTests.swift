import Foundation
import Glibc
import TestSupport
import Testing

/// Jumps of the calendar clock, with the real processes.
@Suite struct ClockChangeTests {
    private let fixture: BackgroundFixture
    /// The file with the difference of the service's clock to the real one, in seconds (8 bytes).
    private let clock: String

    init() throws {
        fixture = try BackgroundFixture()
        clock = fixture.scratch.file("clock")
        try Data(count: MemoryLayout<Int64>.size).write(to: URL(fileURLWithPath: clock))
        fixture.serviceProgram = try serviceWithClock()
    }

    /// Sets the difference of the service's clock to the real one, in seconds.
    private func setClock(_ difference: Int64) throws {
        // The processes have mapped the file, so it is not replaced.
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: clock))
        try file.write(contentsOf: withUnsafeBytes(of: difference) { Data($0) })
    }

    /// Returns a script that runs the service, and with it the engine, with the moved calendar clock.
    ///
    /// libfaketime cannot be used: it changes the environment before the program starts, and Swift then finds no
    /// arguments of the program.
    private func serviceWithClock() throws -> String {
        let (source, library) = (fixture.scratch.file("clock.c"), fixture.scratch.file("clock.so"))
        let script = fixture.scratch.file("service")
        try Data(
            """
            #include <fcntl.h>
            #include <sys/mman.h>
            #include <sys/syscall.h>
            #include <sys/time.h>
            #include <time.h>
            #include <unistd.h>
            static const volatile long *difference;
            __attribute__((constructor)) static void open_clock(void) {
                int file = open("\(clock)", O_RDONLY | O_CLOEXEC);
                difference = mmap(0, sizeof *difference, PROT_READ, MAP_SHARED, file, 0);
                close(file);
            }
            int clock_gettime(clockid_t clock, struct timespec *time) {
                int result = syscall(SYS_clock_gettime, clock, time);
                if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) time->tv_sec += *difference;
                return result;
            }
            int gettimeofday(struct timeval *time, void *zone) {
                int result = syscall(SYS_gettimeofday, time, zone);
                time->tv_sec += *difference;
                return result;
            }
            time_t time(time_t *result) {
                struct timespec now;
                clock_gettime(CLOCK_REALTIME, &now);
                if (result) *result = now.tv_sec;
                return now.tv_sec;
            }

            """.utf8
        ).write(to: URL(fileURLWithPath: source))
        try run("clang", ["-shared", "-fPIC", "-o", library, source])
        try Data(
            """
            #!/bin/sh
            LD_PRELOAD=\(library) exec \(try Products.path("swiftplay-backgroundd")) "$@"

            """.utf8
        ).write(to: URL(fileURLWithPath: script))
        chmod(script, 0o700)
        return script
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
