import WireFormat

/// What the service knows about a program that it wakes, for listings.
package struct BackgroundProgram: Sendable, Equatable {
    /// The name of the program.
    package var name: String
    package var modes: BackgroundModes
    /// Whether a process of the program is connected, and whether it is in the foreground.
    package var isRunning = false, isInForeground = false
    /// Whether the user has closed the program for good.
    package var isForceQuit = false
    /// The next fetch and its reason, in one line.
    package var nextFetch = ""
    /// The times at which the program is usually opened, in one line.
    package var habits = ""
    /// What the program has used in the last 24 hours, and its limits.
    package var usage = Usage()
    /// The numbers of notifications.
    package var notifications = Notifications()

    /// Background work in the last 24 hours.
    package struct Usage: Sendable, Equatable {
        package var wakes: UInt32 = 0, wakeLimit: UInt32 = 0
        /// The time of the wakes and the time of the processor, in milliseconds.
        package var wallTime: Int64 = 0, cpuTime: Int64 = 0
        package var bytes: Int64 = 0
        package init() {}
    }

    /// The numbers of notifications since the program has registered.
    package struct Notifications: Sendable, Equatable {
        package var received: Int64 = 0, delivered: Int64 = 0, replaced: Int64 = 0, waiting: Int64 = 0
        package init() {}
    }

    /// Creates the state of a program.
    package init(name: String, modes: BackgroundModes) { (self.name, self.modes) = (name, modes) }

    /// Appends the state to a message.
    func write(to writer: inout MessageWriter) {
        writer.writeText(name)
        writer.write(modes.rawValue)
        for flag in [isRunning, isInForeground, isForceQuit] { writer.write(flag) }
        writer.write(nextFetch)
        writer.write(habits)
        writer.write(usage.wakes)
        writer.write(usage.wakeLimit)
        for value in [
            usage.wallTime, usage.cpuTime, usage.bytes, notifications.received, notifications.delivered,
            notifications.replaced, notifications.waiting,
        ] { writer.write(value) }
    }

    /// Reads a state.
    init(from reader: inout MessageReader) throws(MalformedMessage) {
        self.init(name: try reader.readName(), modes: BackgroundModes(rawValue: try reader.read()))
        (isRunning, isInForeground, isForceQuit) = (try reader.read(), try reader.read(), try reader.read())
        (nextFetch, habits) = (try reader.read(), try reader.read())
        (usage.wakes, usage.wakeLimit) = (try reader.read(), try reader.read())
        (usage.wallTime, usage.cpuTime, usage.bytes) = (try reader.read(), try reader.read(), try reader.read())
        (notifications.received, notifications.delivered) = (try reader.read(), try reader.read())
        (notifications.replaced, notifications.waiting) = (try reader.read(), try reader.read())
    }
}
