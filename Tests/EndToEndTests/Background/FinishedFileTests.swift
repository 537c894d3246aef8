import Foundation
import Glibc
import SystemCalls
import TestSupport
import Testing

/// Finished files that the service cannot open, with the real processes.
@Suite struct FinishedFileTests {
    private let fixture: BackgroundFixture
    private let server: ContentServer

    init() throws {
        fixture = try BackgroundFixture()
        server = try ContentServer(pausesAt: 100_000)
    }

    @Test("the event of a finished file that cannot be opened now is sent when the file can be opened")
    func anEventWaitsForItsFile() throws {
        let path = try finishWithoutProgram()
        // Until the lease is returned, an attempt to open the file fails with EWOULDBLOCK, and the holder gets SIGIO.
        let lease: Int32 = 1024, holder = try FileDescriptor(opening: path, flags: O_RDWR)
        signal(SIGIO, SIG_IGN)
        let isLeased = Deadline.poll(for: .seconds(10)) {
            fcntl(holder.raw, lease, Int32(F_WRLCK)) == 0 ? true : nil
        }
        #expect(isLeased == true)
        let program = try fixture.probe([])
        try fixture.waitForLog("start user", count: 2)
        #expect(Deadline.poll(for: .milliseconds(500)) { hasEvent ? true : nil } == nil, "\(fixture.log)")
        #expect(fcntl(holder.raw, lease, Int32(F_UNLCK)) == 0)
        #expect(try program.waitForExit(within: .seconds(20)).isSuccess)
        #expect(fixture.log.contains("finished 1 file0 0") && fixture.content("1") == server.content)
    }

    /// Whether the program has received an event.
    private var hasEvent: Bool { fixture.log.contains { $0.hasPrefix("finished") || $0.hasPrefix("completed") } }

    /// Lets the download of a program finish that was killed and cannot be started again. Returns the path of the file.
    private func finishWithoutProgram() throws -> String {
        let path = fixture.scratch.file("BackgroundProbe")
        try FileManager.default.copyItem(atPath: Products.path("BackgroundProbe"), toPath: path)
        let program = try ChildProcess(
            path, [fixture.scratch.file("log"), fixture.folder, server.address()], environment: fixture.environment,
            runtimeDirectory: fixture.runtime)
        try fixture.waitForStagedPart(bytes: 100_000)
        try FileManager.default.removeItem(atPath: path)
        program.signal(SIGKILL)
        _ = try program.waitForExit()
        server.release()
        let staging = fixture.scratch.file("data/swiftplay/transfers/1/")
        let name = Deadline.poll(for: .seconds(20)) {
            (try? FileManager.default.contentsOfDirectory(atPath: staging))?.first { !$0.hasPrefix(".") }
        }
        return staging + (try #require(name))
    }
}
