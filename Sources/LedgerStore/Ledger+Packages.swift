import SystemCalls

extension Ledger {
    /// Stores a new package with its first resource.
    package func create(_ package: PackageRow, first: [ResourceRow]) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run(
                "INSERT INTO package(task, preferences) VALUES(?, ?)",
                [.integer(package.task), .bytes(package.preferences)])
            for resource in first { try insert(resource) }
        }
    }

    /// Returns the package of a transfer; nil if the transfer is one of a file.
    package func package(of task: Int64) throws(DatabaseError) -> PackageRow? {
        try database.row(
            "SELECT task, preferences, inode IS NOT NULL, device, inode FROM package WHERE task = ?", [.integer(task)]
        ) { row in
            var package = PackageRow(task: row.integer(0), preferences: row.bytes(1))
            if row.flag(2) { package.folder = FileIdentity(device: row.bits(3), inode: row.bits(4)) }
            return package
        }
    }

    /// Records the folder of a package, which exists.
    package func saveFolder(_ identity: FileIdentity, of task: Int64) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run(
                "UPDATE package SET device = ?, inode = ? WHERE task = ?",
                [.bits(identity.device), .bits(identity.inode), .integer(task)])
        }
    }

    /// Adds resources that a plan has found.
    package func add(_ resources: [ResourceRow]) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in for resource in resources { try insert(resource) } }
    }

    /// Removes the resources that an interrupted plan has found.
    package func removeResources(ofPlan plan: Int64, of task: Int64) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run(
                "DELETE FROM resource WHERE task = ? AND plan = ?", [.integer(task), .integer(plan)])
        }
    }

    /// Returns the resource that is due: playlists in the order of their numbers, and then the media in the order in
    /// which they are played.
    package func nextResource(of task: Int64) throws(DatabaseError) -> ResourceRow? {
        try database.row(
            """
            SELECT task, number, kind, plan, url, name, start, duration FROM resource \
            WHERE task = ? AND length IS NULL ORDER BY kind, start, number LIMIT 1
            """, [.integer(task)]
        ) { row in ResourceRow(row) }
    }

    /// Returns the names of the playlists of a package that came from the server.
    package func playlistNames(of task: Int64) throws(DatabaseError) -> [String] {
        try database.rows(
            "SELECT name FROM resource WHERE task = ? AND kind = 0 AND number % 2 = 0 ORDER BY number", [.integer(task)]
        ) { row in row.text(0) }
    }

    /// Returns the names of all resources of a package.
    package func resourceNames(of task: Int64) throws(DatabaseError) -> [String] {
        try database.rows("SELECT name FROM resource WHERE task = ?", [.integer(task)]) { row in row.text(0) }
    }

    /// Returns the largest number of a resource; -1 if there is none.
    package func lastResourceNumber(of task: Int64) throws(DatabaseError) -> Int64 {
        try database.row("SELECT ifnull(max(number), -1) FROM resource WHERE task = ?", [.integer(task)]) { row in
            row.integer(0)
        } ?? -1
    }

    /// Records that a resource has its final name, and removes the row of its part file.
    package func finish(_ resource: ResourceRow, length: Int64) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run(
                "UPDATE resource SET length = ? WHERE task = ? AND number = ?",
                [.integer(length), .integer(resource.task), .integer(resource.number)])
            try removePart(of: resource.task)
        }
    }

    /// Records the address from which a playlist came, for its plan.
    package func savePlanAddress(_ url: String, ofPlaylist number: Int64, of task: Int64) throws(DatabaseError) {
        try transaction { () throws(DatabaseError) in
            try database.run(
                "UPDATE resource SET url = ? WHERE task = ? AND number = ?",
                [.text(url), .integer(task), .integer(number + 1)])
        }
    }

    /// Returns the sums over the resources of a package.
    package func resourceSums(of task: Int64) throws(DatabaseError) -> ResourceSums {
        try database.row(
            """
            SELECT count(*), count(length), ifnull(sum(duration), 0), \
            ifnull(sum(CASE WHEN length IS NULL THEN 0 ELSE duration END), 0), ifnull(sum(length), 0) \
            FROM resource WHERE task = ?
            """, [.integer(task)]
        ) { row in
            var sums = ResourceSums()
            (sums.count, sums.finishedCount) = (row.integer(0), row.integer(1))
            (sums.duration, sums.finishedDuration) = (row.integer(2), row.integer(3))
            sums.bytes = row.integer(4)
            return sums
        } ?? ResourceSums()
    }

    private func insert(_ resource: ResourceRow) throws(DatabaseError) {
        try database.run(
            """
            INSERT INTO resource(task, number, kind, plan, url, name, start, duration) VALUES(?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(resource.task), .integer(resource.number), .integer(resource.kind.rawValue),
                .integer(resource.plan), .text(resource.url), .text(resource.name), .integer(resource.start),
                .integer(resource.duration),
            ])
    }
}

extension ResourceRow {
    /// Decodes a row with the columns task, number, kind, plan, url, name, start and duration.
    fileprivate init(_ row: Statement) {
        self.init(
            task: row.integer(0), number: row.integer(1), kind: Kind(rawValue: row.integer(2)) ?? .media,
            url: row.text(4), name: row.text(5))
        (plan, start, duration) = (row.integer(3), row.integer(6), row.integer(7))
    }
}
