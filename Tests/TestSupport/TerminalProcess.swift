import SystemCalls

/// A program that runs on a pseudo-terminal of its own. This object simulates the terminal: it replies to terminal
/// queries.
package final class TerminalProcess: Sendable {
    package let terminal: PseudoTerminal
    package let child: ChildProcess
    /// The terminal settings before the program started.
    package let settingsBefore: [UInt8]

    /// Starts `program` on a new terminal.
    ///
    /// - Parameters:
    ///   - replies: the replies to terminal queries; ``TerminalReplies/none`` sends no replies.
    ///   - watcher: the model of the terminal screen, which receives all output of the program; nil for no model.
    package init(
        _ program: String, _ arguments: [String] = [], size: PseudoTerminal.Size = .init(),
        environment: [String: String?] = [:],
        runtimeDirectory: RuntimeDirectory? = nil, replies: TerminalReplies = .plain,
        watcher: TerminalWatcher? = nil
    ) throws(SystemCallError) {
        let terminal = try PseudoTerminal(size: size)
        settingsBefore = terminal.settings
        let output = OutputBuffer(limit: 4 << 20)
        let defaults: [String: String?] = ["TERM": "xterm-256color", "COLORTERM": "truecolor"]
        let changes = ChildProcess.environment(defaults.merging(environment) { _, value in value }, runtimeDirectory)
        let start = MonotonicTime.now
        let pid = try Spawn.start(program, arguments, environment: changes, streams: .terminal(path: terminal.path))
        let responder = Monitor(TerminalResponder(replies: replies))
        self.terminal = terminal
        child = try ChildProcess(
            program: program, pid: pid, startTime: start, output: output, errors: output,
            sources: [
                .init(descriptor: terminal.master) { bytes in
                    output.append(bytes)
                    watcher?.process(bytes)
                    let reply = responder.withLock { $0.reply(to: bytes, size: terminal.size) }
                    if !reply.isEmpty { terminal.type(reply) }
                }
            ])
    }

    /// All output of the program on the terminal, including error output.
    package var output: OutputBuffer { child.output }

    /// Types `text` as a user would.
    package func type(_ text: String) { terminal.type(text) }

    /// Stops reading the output, so that writes of the program block. A real terminal stops reading after Ctrl-S or
    /// when its network connection hangs.
    package func freeze() { child.supervisor.setReadingPaused(true) }
    /// Resumes reading the output after ``freeze()``.
    package func resume() { child.supervisor.setReadingPaused(false) }

    /// Whether the terminal settings are the same as before the program started.
    package var settingsAreRestored: Bool { terminal.settings == settingsBefore }
}
