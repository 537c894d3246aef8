import Foundation
import Glibc
import TestSupport
import Testing

/// Upgrades that replace the programs while the service runs, with the real processes.
@Suite struct ServiceUpgradeTests {
    private let fixture: BackgroundFixture
    /// The path of a copy of the service's program, which has a copy of the engine beside it.
    private let program: String

    init() throws {
        fixture = try BackgroundFixture()
        let folder = fixture.scratch.file("programs")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for name in ["swiftplay-backgroundd", "swiftplay-transfer"] {
            try FileManager.default.copyItem(atPath: Products.path(name), toPath: folder + "/" + name)
        }
        program = folder + "/swiftplay-backgroundd"
        fixture.additions = ["SWIFTPLAY_BACKGROUNDD": program, "SWIFTPLAY_TRANSFER": nil]
    }

    @Test("a service whose program was replaced finds its engine, and is started again when it is killed")
    func aServiceSurvivesAnUpgrade() throws {
        _ = try fixture.listing()
        let service = try #require(fixture.ledgerProcess)
        // Package managers write a new file and rename it.
        try FileManager.default.copyItem(atPath: program, toPath: program + ".new")
        #expect(rename(program + ".new", program) == 0)
        let server = try ContentServer()
        let status = try fixture.download([server.address()]).waitForExit(within: .seconds(20))
        #expect(status.isSuccess && fixture.content("film.mkv") == server.content)
        #expect(fixture.ledgerProcess == service)
        try fixture.killLedger()
        let isRunningAgain = Deadline.poll(for: .seconds(20)) {
            [nil, service].contains(fixture.ledgerProcess) ? nil : true
        }
        #expect(isRunningAgain == true)
    }

    @Test("a service that is killed while an upgrade has removed its program is started again, and finds its engine")
    func aServiceIsStartedWithoutItsFile() throws {
        _ = try fixture.listing()
        try FileManager.default.removeItem(atPath: program)
        try fixture.killLedger()
        // The link of the kernel to the running program stands for the removed file.
        let isRunningAgain = Deadline.poll(for: .seconds(20)) {
            fixture.runtime.processes(named: "exe").isEmpty ? nil : true
        }
        #expect(isRunningAgain == true)
        try FileManager.default.copyItem(atPath: Products.path("swiftplay-backgroundd"), toPath: program)
        let server = try ContentServer()
        let status = try fixture.download([server.address()]).waitForExit(within: .seconds(20))
        #expect(status.isSuccess && fixture.content("film.mkv") == server.content)
    }

    @Test("a service whose process cannot be started now is started later")
    func aFailedStartIsRepeated() throws {
        _ = try fixture.listing()
        let service = try #require(fixture.ledgerProcess)
        let supervisor = try #require(
            fixture.runtime.processes(named: "swiftplay-backgroundd").first { $0.pid != service }?.pid)
        // The supervisor tries two paths of the program in each start.
        let calls = "clone,clone3,vfork"
        let tracer = try ChildProcess(
            Products.systemProgram("strace"),
            [
                "-qq", "-o", "/dev/null", "-e", "trace=\(calls)", "-e", "inject=\(calls):error=EAGAIN:when=1..2",
                "-p", "\(supervisor)",
            ])
        let isTraced = Deadline.poll(for: .seconds(10)) {
            let status = FileManager.default.contents(atPath: "/proc/\(supervisor)/status") ?? Data()
            return String(decoding: status, as: UTF8.self).contains("TracerPid:\t\(tracer.pid)\n") ? true : nil
        }
        #expect(isTraced == true, "\(tracer.errors.text)")
        try fixture.killLedger()
        let isRunningAgain = Deadline.poll(for: .seconds(20)) {
            let processes = Set(fixture.runtime.processes(named: "swiftplay-backgroundd").map(\.pid))
            return processes.count == 2 && processes.isSuperset(of: [supervisor]) && !processes.contains(service)
                ? true : nil
        }
        #expect(isRunningAgain == true)
    }
}
