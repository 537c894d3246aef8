import Glibc
import SystemCalls

/// The signals that concern a terminal.
package enum TerminalSignals {
    /// Fatal ones, after which the terminal must not stay as it is. SIGINT and SIGTERM belong to the program, for a
    /// clean end.
    private static let fatal = [SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGHUP, SIGQUIT]
    private static let highest = 32

    /// What the fatal signals did before us. `nonisolated(unsafe)`: written once, under ``installed``, before its
    /// handler can run.
    nonisolated(unsafe) private static let previous: UnsafeMutablePointer<sigaction> = {
        let table = UnsafeMutablePointer<sigaction>.allocate(capacity: highest)
        table.initialize(repeating: sigaction(), count: highest)
        return table
    }()

    private static let installed = Monitor(false)
    private static let users = Monitor<(count: Int, old: [(signal: Int32, action: sigaction)])>((0, []))

    /// From now on a fatal signal and `exit` put the terminal back first. The signal then does what it would have done.
    /// Signals that are ignored (`nohup`) stay so. Idempotent; any thread.
    ///
    /// A fault in a thread that blocks its signal kills at once, without any handler: threads must leave the faults
    /// unblocked.
    package static func installCrashHandlers() {
        installed.withLock { installed in
            guard !installed else { return }
            installed = true
            // Made now, so that no handler is the first to touch them.
            _ = TerminalRestorer.slots
            let table = previous
            atexit { TerminalRestorer.restoreNow() }
            for signal in fatal {
                sigaction(signal, nil, table + Int(signal))
                guard !isIgnored(table[Int(signal)]) else { continue }
                install(signal) { signal in
                    TerminalRestorer.restoreNow()
                    let previous = TerminalSignals.previous
                    sigaction(signal, previous + Int(signal), nil)
                    // Blocked while this handler runs, so it comes when the handler returns.
                    Glibc.raise(signal)
                }
            }
        }
    }

    /// Watches for a change of size, Ctrl-Z and going on. One call of ``release()`` for each.
    static func retain() {
        users.withLock { users in
            users.count += 1
            guard users.count == 1 else { return }
            _ = TerminalRestorer.slots
            watch(SIGWINCH, &users.old) { _ in TerminalRestorer.raise(.resize) }
            watch(SIGCONT, &users.old) { _ in TerminalRestorer.raise(.continue) }
            watch(SIGTSTP, &users.old) { _ in TerminalRestorer.raise(.suspend) }
        }
    }

    static func release() {
        users.withLock { users in
            users.count -= 1
            guard users.count == 0 else { return }
            for (signal, action) in users.old {
                var action = action
                sigaction(signal, &action, nil)
            }
            users.old = []
        }
    }

    /// Stops this process as Ctrl-Z does, and returns when it goes on. Not from a signal handler.
    static func stopProcess() {
        var standard = sigaction(), old = sigaction(), set = sigset_t(), oldSet = sigset_t()
        sigaction(SIGTSTP, &standard, &old)
        sigemptyset(&set)
        sigaddset(&set, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &set, &oldSet)
        Glibc.raise(SIGTSTP)
        pthread_sigmask(SIG_SETMASK, &oldSet, nil)
        sigaction(SIGTSTP, &old, nil)
    }

    private static func watch(
        _ signal: Int32, _ old: inout [(signal: Int32, action: sigaction)],
        _ handler: @escaping @convention(c) (Int32) -> Void
    ) {
        var action = sigaction()
        sigaction(signal, nil, &action)
        // A shell without job control ignores Ctrl-Z for its children, and they must too.
        if signal == SIGTSTP, isIgnored(action) { return }
        old.append((signal, action))
        install(signal, handler)
    }

    private static func install(_ signal: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = handler
        action.sa_flags = SA_RESTART
        sigemptyset(&action.sa_mask)
        sigaction(signal, &action, nil)
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1 // SIG_IGN
    }
}
