/// The registration of a program with a distributor of notifications.
package struct RegistrationRow: Sendable, Equatable {
    /// The key of the program's ``ClientRow``.
    package var client: Int64
    /// The secret by which the distributor names the program.
    package var token: String
    /// The address to which the server of the program sends notifications; empty if it is not known.
    package var endpoint = ""
    /// Whether the program accepts only encrypted messages.
    package var isEncrypted = false

    package init(client: Int64, token: String, endpoint: String = "") {
        (self.client, self.token, self.endpoint) = (client, token, endpoint)
    }
}

extension Ledger {
    /// Returns all registrations.
    package func registrations() throws(DatabaseError) -> [RegistrationRow] {
        try database.rows("SELECT client, token, endpoint, is_encrypted FROM registration ORDER BY client") { row in
            var registration = RegistrationRow(client: row.integer(0), token: row.text(1), endpoint: row.text(2))
            registration.isEncrypted = row.flag(3)
            return registration
        }
    }

    /// Saves a registration.
    package func save(_ registration: RegistrationRow) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run(
                """
                INSERT INTO registration(client, token, endpoint, is_encrypted) VALUES(?, ?, ?, ?) \
                ON CONFLICT(client) DO UPDATE SET token = excluded.token, endpoint = excluded.endpoint, \
                is_encrypted = excluded.is_encrypted
                """,
                [
                    .integer(registration.client), .text(registration.token), .text(registration.endpoint),
                    .flag(registration.isEncrypted),
                ])
        }
    }

    /// Removes the registration of a program. A repeated call has no effect.
    package func removeRegistration(of client: Int64) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run("DELETE FROM registration WHERE client = ?", [.integer(client)])
        }
    }
}
