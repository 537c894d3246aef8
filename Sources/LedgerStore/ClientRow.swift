import SystemCalls

/// A program that uses background transfers.
package struct ClientRow: Sendable, Equatable {
    /// The key of the row.
    package var id: Int64 = 0
    /// The name under which the program registered, unique for the user.
    package var name: String
    /// The path of the program's executable file, for starting the program; empty if it must not be started.
    package var executable: String
    /// The executable file that registered. A different file at the path is not started.
    package var identity: FileIdentity
    /// The fixed arguments with which the program is started.
    package var arguments: [String]
    /// The encoded state of the rule that limits how often the program is started.
    package var relaunch: [UInt8] = []
    /// Whether the user has ended the program; then it is not started until the user opens it.
    package var isForceQuit = false

    /// Creates a row that is not stored yet.
    package init(name: String, executable: String, identity: FileIdentity, arguments: [String]) {
        (self.name, self.executable, self.identity, self.arguments) = (name, executable, identity, arguments)
    }

    /// Decodes a row with the columns ``columns``.
    init(_ row: Statement) {
        let arguments = row.bytes(5).split(separator: 0, omittingEmptySubsequences: false).dropLast()
        self.init(
            name: row.text(1), executable: row.text(2),
            identity: FileIdentity(device: row.bits(3), inode: row.bits(4)),
            arguments: arguments.map { String(decoding: $0, as: UTF8.self) })
        (id, relaunch, isForceQuit) = (row.integer(0), row.bytes(6), row.flag(7))
    }

    /// The columns that ``init(_:)`` reads.
    static let columns = "id, name, executable, device, inode, arguments, relaunch, is_force_quit"

    /// The arguments in the form in which the database stores them: each ends with a zero byte.
    var encodedArguments: [UInt8] { arguments.flatMap { Array($0.utf8) + [0] } }
}

/// A session: the transfers of a program that share an identifier and a configuration.
package struct SessionRow: Sendable, Equatable {
    /// The key of the row.
    package var id: Int64
    /// The program.
    package var client: Int64
    /// The identifier, unique within the program.
    package var identifier: String
    /// The encoded configuration.
    package var configuration: [UInt8]

    /// Decodes a row with the columns ``columns``.
    init(_ row: Statement) {
        (id, client, identifier, configuration) = (row.integer(0), row.integer(1), row.text(2), row.bytes(3))
    }

    /// The columns that ``init(_:)`` reads.
    static let columns = "id, client, identifier, configuration"
}
