import Glibc
import SystemCalls

/// The terminal of a program that does not draw pictures in it: keys, lines of text, and a status line in place.
///
/// Keys are read from standard input if it is a terminal; otherwise from the controlling terminal if standard output or
/// standard error is a terminal. Text is written to standard error if it is a terminal. Safe to use from any thread.
package final class TerminalConsole: Sendable {
    /// The descriptors of the standard streams.
    package struct Streams: Sendable {
        package var input: Int32
        package var output: Int32
        package var errors: Int32

        package init(input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO, errors: Int32 = STDERR_FILENO) {
            (self.input, self.output, self.errors) = (input, output, errors)
        }
    }

    /// The sessions of the terminals from which keys are read and to which text is written; usually one.
    private let sessions: [TerminalSession]
    /// The session of standard error; nil if it is not a terminal.
    private let errorSession: TerminalSession?
    /// Writes to standard error; nil if it is not a terminal.
    private let writer: ConsoleWriter?
    private let reader: TerminalReader
    private let listener: ConsoleListener

    /// Whether a status line is drawn: standard error is a terminal that can place its cursor.
    package let drawsStatus: Bool
    /// Whether ``write(line:)`` writes lines, because standard error is a terminal.
    package var writesLines: Bool { writer != nil }
    /// The number of columns of the terminal of standard error.
    package var columns: Int { errorSession?.geometry.columns ?? 0 }

    /// Takes over the terminal. ``TerminalSignals/installCrashHandlers()`` restores it if the process crashes.
    ///
    /// - Parameters:
    ///   - readsKeys: Whether keys are read.
    ///   - showsStatus: Whether the program has a status line.
    ///   - streams: The standard streams.
    ///   - environment: Returns the value of an environment variable; by default that of this process.
    ///   - onEvent: Receives ``OutputEvent/key(_:)``, and ``OutputEvent/redrawNeeded`` after the size has changed, on
    ///     the console's own thread.
    /// - Returns: Nil if there is no terminal to use.
    /// - Throws: `SystemCallError` if the terminal cannot be used.
    package init?(
        readsKeys: Bool, showsStatus: Bool, streams: Streams = Streams(),
        environment: (String) -> String? = { getenv($0).map { String(cString: $0) } },
        onEvent: @escaping @Sendable (OutputEvent) -> Void
    ) throws(SystemCallError) {
        let isErrorTerminal = TerminalSession.isTerminal(streams.errors)
        let keySource = readsKeys ? Self.openKeySource(streams) : nil
        guard isErrorTerminal || keySource != nil else { return nil }
        let drawsStatus =
            showsStatus && isErrorTerminal && !TerminalCapabilities(environment: environment).isDumb
        let isOneTerminal = keySource.map { Self.areSameTerminal($0.raw, streams.errors) } ?? false
        var sessions: [TerminalSession] = [], errorSession: TerminalSession?
        if let keySource, !(isErrorTerminal && isOneTerminal) {
            sessions.append(
                try TerminalSession(
                    descriptor: keySource.raw, usage: .console(readsKeys: true, drawsStatus: false),
                    environment: environment))
        }
        if isErrorTerminal {
            let session = try TerminalSession(
                descriptor: streams.errors, usage: .console(readsKeys: isOneTerminal, drawsStatus: drawsStatus),
                environment: environment)
            errorSession = session
            sessions.append(session)
        }
        let writer: ConsoleWriter? = if let errorSession { try ConsoleWriter(session: errorSession) } else { nil }
        let listener = ConsoleListener(sessions: sessions, writer: writer, onEvent: onEvent)
        // Put the session from which keys are read first, if keys are read.
        let reader = try TerminalReader(session: sessions[0], listener: listener)
        try writer?.start()
        do {
            try reader.start()
        } catch {
            writer?.stop(keepingStatus: false)
            throw error
        }
        self.sessions = sessions
        self.errorSession = errorSession
        self.writer = writer
        self.listener = listener
        self.reader = reader
        self.drawsStatus = drawsStatus
    }

    deinit { close() }

    /// Writes a line to standard error; never waits for the terminal.
    ///
    /// - Parameter line: Text without control characters.
    package func write(line: String) { writer?.write(line: line) }

    /// Shows a status line below the lines of text, cut to the width of the terminal; never waits for the terminal.
    ///
    /// - Parameter status: The text, which may contain sequences for colours and font styles; empty to remove the line.
    package func show(status: String) { if drawsStatus { writer?.show(status: status) } }

    /// Restores the terminal. Further calls have no effect.
    ///
    /// - Parameter keepsStatus: Whether the status line stays visible above the text that follows.
    package func close(keepingStatus keepsStatus: Bool = false) {
        listener.stopPublishing()
        reader.stop()
        writer?.stop(keepingStatus: keepsStatus)
        for session in sessions { session.close() }
    }

    /// Opens the terminal from which keys are read; returns nil if there is none.
    private static func openKeySource(_ streams: Streams) -> SharedDescriptor? {
        if TerminalSession.isTerminal(streams.input) {
            guard let input = try? FileDescriptor(duplicating: streams.input) else { return nil }
            return SharedDescriptor(input)
        }
        guard TerminalSession.isTerminal(streams.output) || TerminalSession.isTerminal(streams.errors),
            let terminal = try? FileDescriptor(opening: "/dev/tty", flags: O_RDWR | O_NOCTTY | O_NONBLOCK)
        else { return nil }
        return SharedDescriptor(terminal)
    }

    /// Whether two descriptors refer to the same terminal, one of them perhaps as `/dev/tty`.
    private static func areSameTerminal(_ a: Int32, _ b: Int32) -> Bool {
        var firstStatus = stat(), secondStatus = stat()
        if fstat(a, &firstStatus) == 0, fstat(b, &secondStatus) == 0, firstStatus.st_rdev == secondStatus.st_rdev {
            return true
        }
        let session = tcgetsid(a)
        return session >= 0 && session == tcgetsid(b)
    }
}
