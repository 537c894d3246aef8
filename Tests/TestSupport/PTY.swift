import SystemCalls

/// A program on a pseudo-terminal of its own, which answers what programs ask a terminal.
package final class PTY: Sendable {
    package let terminal: PseudoTerminal
    package let child: ChildProcess
    /// The line settings before the program ran.
    package let settingsBefore: [UInt8]

    /// Starts `program` on a new terminal.
    ///
    /// - Parameters:
    ///   - answers: how the terminal answers; ``TerminalAnswers/none`` is one that is silent.
    ///   - watcher: sees all that is written.
    package init(
        _ program: String, _ arguments: [String] = [], size: PseudoTerminal.Size = .init(),
        environment: [String: String?] = [:],
        runtimeDirectory: RuntimeDirectory? = nil, answers: TerminalAnswers = .sixel,
        watcher: TerminalWatcher? = nil
    ) throws(SystemCallError) {
        let terminal = try PseudoTerminal(size: size)
        settingsBefore = terminal.settings
        let output = OutputBuffer(limit: 4 << 20)
        let defaults: [String: String?] = ["TERM": "xterm-256color", "COLORTERM": "truecolor"]
        let changes = ChildProcess.environment(defaults.merging(environment) { _, mine in mine }, runtimeDirectory)
        let start = MonotonicTime.now
        let pid = try Spawn.start(program, arguments, environment: changes, streams: .terminal(path: terminal.path))
        let responder = Monitor(TerminalResponder(answers: answers))
        self.terminal = terminal
        child = try ChildProcess(
            program: program, pid: pid, startTime: start, output: output, errors: output,
            sources: [
                .init(descriptor: terminal.master) { bytes in
                    output.append(bytes)
                    watcher?.see(bytes)
                    let answer = responder.withLock { $0.answer(to: bytes, size: terminal.size) }
                    if !answer.isEmpty { terminal.type(answer) }
                }
            ])
    }

    /// Everything written to the terminal, errors too.
    package var output: OutputBuffer { child.output }

    /// Types keys, as a user does.
    package func type(_ text: String) { terminal.type(text) }

    /// Stops reading, so that the program's writes block: a terminal whose user pressed Ctrl-S or whose link hangs.
    package func freeze() { child.supervisor.pause(true) }
    /// Reads again.
    package func thaw() { child.supervisor.pause(false) }

    /// True when the program left the line settings as it found them.
    package var settingsAreRestored: Bool { terminal.settings == settingsBefore }
}
