/// The push server to which the service connects itself.
package struct PushServerRow: Sendable, Equatable {
    /// The address of the server.
    package var address: String
    /// The identifier of the last received message, or the time at which the user chose the server, in seconds since
    /// 1970: the next stream begins after it.
    package var since: String

    package init(address: String, since: String) { (self.address, self.since) = (address, since) }
}

extension Ledger {
    /// Returns the push server; nil if the user has chosen none.
    package func pushServer() throws(DatabaseError) -> PushServerRow? {
        try database.row("SELECT address, since FROM push_server") { row in
            PushServerRow(address: row.text(0), since: row.text(1))
        }
    }

    /// Saves the push server, or removes it.
    package func save(_ server: PushServerRow?) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run("DELETE FROM push_server", [])
            guard let server else { return }
            try database.run(
                "INSERT INTO push_server(id, address, since) VALUES(1, ?, ?)",
                [.text(server.address), .text(server.since)])
        }
    }
}
