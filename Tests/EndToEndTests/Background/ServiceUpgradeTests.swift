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
}
