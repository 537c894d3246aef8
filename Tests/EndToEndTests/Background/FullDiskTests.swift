import Foundation
import Glibc
import TestSupport
import Testing

/// Disks that are full or report errors, with the real processes.
@Suite struct FullDiskTests {
    private let fixture: BackgroundFixture

    init() throws { fixture = try BackgroundFixture() }

    /// The process of the service that holds the record.
    private var ledger: Int32? { fixture.ledgerProcess }

    @Test("a full disk is stated with its reason; after space was freed, the transfer goes on by itself")
    func aFullDiskIsWaitedFor() throws {
        let disk = try MountedFolder(fixture.folder, bytes: 16 << 20)
        let server = try ContentServer(blockCount: 16_384)
        _ = try fixture.download([server.address()], ["--no-wait"]).waitForExit()
        try fixture.waitForListing("no space is left (ENOSPC)")
        let process = ledger
        try disk.resize(bytes: 200 << 20)
        // The service checks the free space every 30 s.
        let isComplete = Deadline.poll(for: .seconds(90)) { fixture.files == ["film.mkv"] ? true : nil }
        #expect(isComplete == true && fixture.content("film.mkv") == server.content)
        #expect(process != nil && ledger == process)
    }

    @Test("an error of the disk is stated with its reason; the transfer goes on without the uncertain bytes")
    func anErrorOfTheDiskIsStated() throws {
        fixture.transferProgram = try traced("swiftplay-transfer", "fdatasync:error=EIO:when=1")
        let server = try ContentServer(pausesAt: 100_000)
        _ = try fixture.download([server.address()], ["--no-wait"]).waitForExit()
        // The engine synchronises after five seconds at the latest.
        try fixture.waitForListing("input/output error (EIO)")
        server.release()
        // The service tries again after 30 s.
        try fixture.waitForListing("done", within: .seconds(90))
        #expect(fixture.content("film.mkv") == server.content)
        #expect(server.requests.map(\.rangeStart) == [nil, nil])
    }

    @Test("a write for which the disk has no space stops the transfer and no process; it goes on by itself")
    func aFailedWriteIsRepeated() throws {
        fixture.transferProgram = try traced("swiftplay-transfer", "pwrite64:error=ENOSPC:when=2")
        let server = try ContentServer(blockCount: 1024)
        _ = try fixture.download([server.address()], ["--no-wait"]).waitForExit()
        try fixture.waitForListing("no space is left (ENOSPC)")
        let services = fixture.runtime.processes().map(\.pid)
        let isComplete = Deadline.poll(for: .seconds(90)) { fixture.files == ["film.mkv"] ? true : nil }
        #expect(isComplete == true && fixture.content("film.mkv") == server.content)
        let ranges = server.requests.map { $0.rangeStart ?? 0 }
        #expect(ranges.count == 2 && ranges[0] == 0 && ranges[1] > 0, "\(ranges)")
        #expect(ledger.map(services.contains) == true)
    }

    /// Returns a script that runs a program, in whose first process system calls fail as strace's `inject` says.
    private func traced(_ name: String, _ injection: String) throws -> String {
        let script = fixture.scratch.file(name)
        let program = try Products.path(name)
        let call = injection.prefix { $0 != ":" }
        let text = """
            #!/bin/sh
            mkdir \(script).started || exec \(program) "$@"
            exec strace -D -f -qq -o /dev/null -e trace=\(call) -e inject=\(injection) \(program) "$@"

            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: script))
        chmod(script, 0o700)
        return script
    }

    /// The directory of the record.
    private var state: String { fixture.runtime.path + "/state" }

    /// Mounts a small disk for the record.
    private func mountState() throws -> MountedFolder {
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
        return try MountedFolder(state, bytes: 6 << 20)
    }

    /// Starts a download, fills the disk of the record, pauses the download, for which the reserve makes room, and
    /// fills the disk again.
    private func pause(on disk: MountedFolder, _ server: ContentServer) throws {
        _ = try fixture.download([server.address()], ["--no-wait"]).waitForExit()
        try fixture.waitForStoredPart(bytes: 100_000)
        try disk.fill()
        #expect(try fixture.swiftplay("transfers", "pause", "1").waitForExit().isSuccess)
        try fixture.waitForListing("paused")
        try disk.fill()
    }

    /// Waits until the service answers, without starting it.
    private func waitForService() throws {
        let isServing = Deadline.poll(for: .seconds(40)) { (try? ServiceClient(fixture).attach()) == nil ? nil : true }
        guard isServing == true else { throw TestFailure("the service does not answer") }
    }

    @Test("a service that was killed on a full disk is started again without a program after space was freed")
    func aKilledServiceIsStartedAgainWhenThereIsSpace() throws {
        let disk = try mountState()
        let service = try ChildProcess(
            Products.path("swiftplay-backgroundd"), ["--detach"], environment: fixture.environment,
            runtimeDirectory: fixture.runtime)
        try waitForService()
        try pause(on: disk, ContentServer(pausesAt: 100_000))
        try fixture.killLedger()
        #expect(service.errors.wait(for: "the disk is full"))
        disk.empty()
        try waitForService()
        try fixture.waitForListing("paused")
    }

    @Test("a service that finds no space for its record says so; nothing is lost, and it starts when space was freed")
    func aServiceStatesThatItsDiskIsFull() throws {
        let server = try ContentServer(pausesAt: 100_000)
        let disk = try mountState()
        try pause(on: disk, server)
        try fixture.kill("swiftplay-backgroundd")
        let listing = try fixture.swiftplay("transfers")
        #expect(try listing.waitForExit(within: .seconds(30)).isSuccess == false)
        #expect(listing.errors.text.contains("the disk is full"), "\(listing.errors.text)")
        disk.empty()
        try fixture.waitForListing("paused")
        let path = state + "/swiftplay/background/ledger.sqlite"
        let check = "import sqlite3; print(sqlite3.connect('\(path)').execute('PRAGMA integrity_check').fetchone()[0])"
        #expect(try run("python3", ["-c", check]) == "ok\n")
        server.release()
        #expect(try fixture.swiftplay("transfers", "resume", "1").waitForExit().isSuccess)
        try fixture.waitForListing("done")
        #expect(fixture.content("film.mkv") == server.content)
    }
}

/// A file system in memory that is mounted at a folder until this object is deinitialised.
final class MountedFolder {
    private let path: String
    private var filler: String { path + "/filler" }

    /// Mounts a file system of a size at a folder.
    init(_ path: String, bytes: Int) throws {
        self.path = path
        try run("mount", ["-t", "tmpfs", "-o", "size=\(bytes)", "tmpfs", path])
    }

    deinit { _ = try? run("umount", ["-l", path]) }

    /// Changes the size of the file system.
    func resize(bytes: Int) throws { try run("mount", ["-o", "remount,size=\(bytes)", path]) }

    /// Fills the file system until no byte is free.
    func fill() throws {
        let descriptor = open(filler, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw TestFailure("cannot create \(filler)") }
        defer { close(descriptor) }
        let bytes = [UInt8](repeating: 0, count: 4096)
        while write(descriptor, bytes, bytes.count) > 0 {}
    }

    /// Removes what ``fill()`` has written.
    func empty() { unlink(filler) }
}
