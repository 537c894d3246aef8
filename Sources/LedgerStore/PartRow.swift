import SystemCalls

/// The part file of a transfer: the bytes received so far.
package struct PartRow: Sendable, Equatable {
    /// The transfer.
    package var task: Int64
    /// The name in the transfer's directory.
    package var name: String
    /// The file that was created. A different file with the name is not used.
    package var identity: FileIdentity
    /// The length of the whole content in bytes; nil if unknown.
    package var total: Int64?
    /// The bytes at the start of the file that are on the disk.
    package var durable = Durable()
    /// What identifies the content at the server.
    package var validators = Validators()
    /// Whether the server can continue the content after an interruption.
    package var isResumable = true

    /// The bytes that survive a loss of power.
    package struct Durable: Sendable, Equatable {
        /// The number of bytes.
        package var length: Int64 = 0
        /// The identifier of the start of the machine after which the bytes were written.
        package var boot = ""
        /// The digest of the last 64 KiB before ``length``.
        package var digest: UInt64 = 0
        package init(length: Int64 = 0, boot: String = "", digest: UInt64 = 0) {
            (self.length, self.boot, self.digest) = (length, boot, digest)
        }
    }

    /// The header fields that identify a version of the content (RFC 9110, section 8.8), and its media type.
    package struct Validators: Sendable, Equatable {
        package var entityTag: String?
        package var lastModified: String?
        package var date: String?
        package var mediaType: String?
        package init(
            entityTag: String? = nil, lastModified: String? = nil, date: String? = nil, mediaType: String? = nil
        ) {
            (self.entityTag, self.lastModified, self.date) = (entityTag, lastModified, date)
            self.mediaType = mediaType
        }
    }

    /// Creates the row of an empty part file.
    package init(task: Int64, name: String, identity: FileIdentity) {
        (self.task, self.name, self.identity) = (task, name, identity)
    }

    /// Decodes a row with the columns ``columns``.
    init(_ row: Statement) {
        self.init(
            task: row.integer(0), name: row.text(1),
            identity: FileIdentity(device: row.bits(2), inode: row.bits(3)))
        total = row.optionalInteger(4)
        durable = Durable(length: row.integer(5), boot: row.text(6), digest: row.bits(7))
        validators = Validators(
            entityTag: row.optionalText(8), lastModified: row.optionalText(9), date: row.optionalText(10),
            mediaType: row.optionalText(11))
        isResumable = row.flag(12)
    }

    /// The columns that ``init(_:)`` reads.
    static let columns = """
        task, name, device, inode, total, durable, boot, digest, etag, last_modified, date, media_type, is_resumable
        """

    /// The values of the columns, in order.
    var values: [Value] {
        [
            .integer(task), .text(name), .bits(identity.device), .bits(identity.inode), .integer(total),
            .integer(durable.length), .text(durable.boot), .bits(durable.digest), .text(validators.entityTag),
            .text(validators.lastModified), .text(validators.date), .text(validators.mediaType), .flag(isResumable),
        ]
    }
}

/// An event that waits for the acknowledgement of a program.
package struct EventRow: Sendable, Equatable {
    /// The session of the event.
    package var session: Int64
    /// The number of the event in its session. The numbers of a session grow by 1.
    package var sequence: Int64
    /// The transfer of the event.
    package var task: Int64
    /// The kind of event, a number of the caller.
    package var kind: Int64

    /// Creates a row.
    package init(session: Int64, sequence: Int64, task: Int64, kind: Int64) {
        (self.session, self.sequence, self.task, self.kind) = (session, sequence, task, kind)
    }

    /// Decodes a row with the columns session, sequence, task and kind.
    init(_ row: Statement) {
        self.init(session: row.integer(0), sequence: row.integer(1), task: row.integer(2), kind: row.integer(3))
    }
}

/// The clocks at one moment, from which a later start of the service computes how much time has passed.
package struct ClockMark: Sendable, Equatable {
    /// The identifier of the start of the machine.
    package var boot: String
    /// The calendar time in nanoseconds.
    package var wall: Int64
    /// The time since the machine started, in nanoseconds.
    package var uptime: Int64
    package init(boot: String, wall: Int64, uptime: Int64) {
        (self.boot, self.wall, self.uptime) = (boot, wall, uptime)
    }
}
