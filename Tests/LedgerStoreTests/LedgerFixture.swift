import SystemCalls
import TestSupport

@testable import LedgerStore

/// A ledger in a temporary directory, with one program and one session.
final class LedgerFixture {
    let directory: TemporaryDirectory
    var ledger: Ledger
    /// The keys of the program and of the session.
    let client: Int64, session: Int64

    init() throws {
        directory = try TemporaryDirectory()
        ledger = try Ledger(directory: directory.path + "/background")
        client = try ledger.register(Self.client()).id
        session = try ledger.session("downloads", of: client, configuration: [1]).id
    }

    /// Closes the ledger and opens it again.
    func reopen() throws {
        let path = ledger.directory
        ledger = try Ledger(directory: path)
    }

    static func client(_ name: String = "player", arguments: [String] = ["--background", ""]) -> ClientRow {
        ClientRow(
            name: name, executable: "/usr/bin/player", identity: FileIdentity(device: 7, inode: .max),
            arguments: arguments)
    }

    /// Returns a row of a transfer that is not stored yet; `byte` makes its UUID.
    func row(_ byte: UInt8 = 1, state: String = "created") -> TaskRow {
        TaskRow(
            session: session, uuid: [UInt8](repeating: byte, count: 16),
            request: TaskRow.Request(url: "https://example.org/film.mkv?token=1#part"),
            destination: TaskRow.Destination(
                directory: "/films", identity: FileIdentity(device: .max, inode: 3), name: "film.mkv", isKept: true),
            schedule: TaskRow.Schedule(created: 5, timeLimit: 1000), state: state)
    }

    /// Stores a transfer.
    func task(_ byte: UInt8 = 1, state: String = "created") throws -> TaskRow {
        try ledger.create(row(byte, state: state)).task
    }
}
