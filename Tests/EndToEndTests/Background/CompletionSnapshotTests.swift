import Glibc
import SystemCalls
import TestSupport
import Testing

/// Pictures of a program in the overview that are taken because the program has completed work in the background,
/// with the real processes and without a display.
@Suite struct CompletionSnapshotTests {
    private let fixture: SnapshotFixture
    private let name = "org.example.films"

    init() throws { fixture = try SnapshotFixture() }

    /// Runs `swiftplay` with arguments, and returns its output.
    @discardableResult
    private func swiftplay(_ arguments: String...) throws -> String {
        let command = try fixture.swiftplay(arguments)
        guard try command.waitForExit(within: .seconds(20)).isSuccess else {
            throw TestFailure("\(arguments): \(command.errors.text)")
        }
        return command.output.text
    }

    /// Waits until the picture shows a frame, and returns the host time.
    @discardableResult
    private func waitForPicture(of frame: Int) throws -> Int64 {
        var last: Int?, file = stat()
        let found = try Deadline.poll(for: .seconds(40), every: .milliseconds(50)) { () -> Bool? in
            // The picture is read once for each file.
            let oldFile = file.st_ino
            guard stat("\(fixture.path)/\(name).png", &file) == 0, file.st_ino != oldFile else { return nil }
            last = try fixture.frameNumber(in: name + ".png")
            return last == frame ? true : nil
        }
        guard found == true else { throw TestFailure("the picture shows \(last.map { "\($0)" } ?? "no frame")") }
        return MonotonicTime.now
    }

    @Test("a fetch, a notification and a transfer each renew the picture, at most every ten seconds")
    func completedWorkRenewsThePicture() throws {
        let clip = try Fixtures.path("count30.mp4"), server = try ContentServer(pausesAt: 100_000)
        let commands = ["identifier \(name)", "show \(clip) 1", "configure \(name)"]
        let program = try fixture.startProbe(hasDisplay: false)
        try program.send(commands)
        try fixture.wait(for: "shown true", of: program)
        let isKnown = try Deadline.poll(for: .seconds(20), every: .milliseconds(50)) {
            try swiftplay("background").contains("(runs in the background)") ? true : nil
        }
        #expect(isKnown == true)

        try program.send(["work \(clip) 2", "say fetch"])
        try fixture.wait(for: "said fetch", of: program)
        try swiftplay("background", "fetch", name)
        try waitForPicture(of: 60)
        let line = try #require(program.lines.first { $0.hasSuffix("handled fetch") })
        let fetchTime = try #require(line.split(separator: " ").first.flatMap { Int64($0) })

        try program.send(["work \(clip) 3", "say notification"])
        try fixture.wait(for: "said notification", of: program)
        try swiftplay("push", "send", "--to", name, "{\"aps\":{\"content-available\":1}}")
        #expect(try waitForPicture(of: 90) - fetchTime > 10 * MonotonicTime.nanosecondsPerSecond)

        try program.send(["transfer \(server.address())"])
        let isWaiting = Deadline.poll(for: .seconds(20)) { server.requests.isEmpty ? nil : true }
        #expect(isWaiting == true)
        program.child.signal(SIGKILL)
        _ = try program.child.waitForExit()
        // The service starts the program again, which then reads these commands.
        try program.send(commands + ["work \(clip) 4"])
        server.release()
        try waitForPicture(of: 120)
    }
}
