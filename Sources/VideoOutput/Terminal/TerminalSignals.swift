import Glibc
import SystemCalls

/// Handlers for the signals that concern a terminal.
package enum TerminalSignals {
    /// The fatal signals before which the terminal must be restored. The program itself handles SIGINT and SIGTERM to
    /// exit cleanly.
    private static let fatalSignals = [SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGHUP, SIGQUIT]
    /// The size of the table of signal actions: one more than the highest signal number in it.
    private static let actionTableSize = 32

    /// The previous actions of the fatal signals. `nonisolated(unsafe)`: written once, before a handler can run, while
    /// the lock of ``areCrashHandlersInstalled`` is held.
    nonisolated(unsafe) private static let previousActions: UnsafeMutablePointer<sigaction> = {
        let table = UnsafeMutablePointer<sigaction>.allocate(capacity: actionTableSize)
        table.initialize(repeating: sigaction(), count: actionTableSize)
        return table
    }()

    /// Whether the handlers for fatal signals are installed.
    private static let areCrashHandlersInstalled = Monitor(false)
    /// The number of ``retain()`` calls without a ``release()``, and the signals' actions before the first
    /// ``retain()``.
    private static let signalUsers = Monitor<(count: Int, oldActions: [(signal: Int32, action: sigaction)])>((0, []))

    /// Installs handlers that restore the terminal on fatal signals and `exit`. The signal then takes its previous
    /// action. Ignored signals (`nohup`) stay ignored. Any thread; further calls have no effect.
    ///
    /// Do not block these signals: a fault in a thread that blocks its signal kills the process without running a
    /// handler.
    package static func installCrashHandlers() {
        areCrashHandlersInstalled.withLock { areCrashHandlersInstalled in
            guard !areCrashHandlersInstalled else { return }
            areCrashHandlersInstalled = true
            // Create the tables of slots and actions now, because a signal handler must not create them.
            _ = TerminalRestorer.slots
            let table = previousActions
            atexit { TerminalRestorer.restoreNow() }
            for signal in fatalSignals {
                sigaction(signal, nil, table + Int(signal))
                guard !isIgnored(table[Int(signal)]) else { continue }
                install(signal) { signal in
                    TerminalRestorer.restoreNow()
                    let savedActions = TerminalSignals.previousActions
                    sigaction(signal, savedActions + Int(signal), nil)
                    // The raised signal is blocked while its handler runs, and is delivered when the handler returns.
                    Glibc.raise(signal)
                }
            }
        }
    }

    /// Installs handlers for a changed terminal size, Ctrl-Z and `SIGCONT`. Each call must be balanced by one call of
    /// ``release()``.
    static func retain() {
        signalUsers.withLock { signalUsers in
            signalUsers.count += 1
            guard signalUsers.count == 1 else { return }
            _ = TerminalRestorer.slots
            watch(SIGWINCH, &signalUsers.oldActions) { _ in TerminalRestorer.post(.resize) }
            watch(SIGCONT, &signalUsers.oldActions) { _ in TerminalRestorer.post(.continue) }
            watch(SIGTSTP, &signalUsers.oldActions) { _ in TerminalRestorer.post(.suspend) }
        }
    }

    /// Reverses one ``retain()``. The last call of this method restores the signals' previous actions.
    static func release() {
        signalUsers.withLock { signalUsers in
            signalUsers.count -= 1
            guard signalUsers.count == 0 else { return }
            for (signal, action) in signalUsers.oldActions {
                var action = action
                sigaction(signal, &action, nil)
            }
            signalUsers.oldActions = []
        }
    }

    /// Stops this process as Ctrl-Z does, and returns when it continues. Do not call it in a signal handler.
    static func stopProcess() {
        var defaultAction = sigaction(), oldAction = sigaction(), unblockedSignals = sigset_t(), oldMask = sigset_t()
        sigaction(SIGTSTP, &defaultAction, &oldAction)
        sigemptyset(&unblockedSignals)
        sigaddset(&unblockedSignals, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &unblockedSignals, &oldMask)
        Glibc.raise(SIGTSTP)
        pthread_sigmask(SIG_SETMASK, &oldMask, nil)
        sigaction(SIGTSTP, &oldAction, nil)
    }

    /// Installs a handler and adds the signal's previous action to `oldActions`.
    private static func watch(
        _ signal: Int32, _ oldActions: inout [(signal: Int32, action: sigaction)],
        _ handler: @escaping @convention(c) (Int32) -> Void
    ) {
        var action = sigaction()
        sigaction(signal, nil, &action)
        // A shell without job control ignores Ctrl-Z for its children. In that case Ctrl-Z stays ignored.
        if signal == SIGTSTP, isIgnored(action) { return }
        oldActions.append((signal, action))
        install(signal, handler)
    }

    /// Sets the action of a signal to `handler`.
    private static func install(_ signal: Int32, _ handler: @escaping @convention(c) (Int32) -> Void) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = handler
        action.sa_flags = SA_RESTART
        sigemptyset(&action.sa_mask)
        sigaction(signal, &action, nil)
    }

    /// Whether this process ignores a signal.
    package static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        return sigaction(signal, nil, &action) == 0 && isIgnored(action)
    }

    /// Whether an action ignores its signal.
    private static func isIgnored(_ action: sigaction) -> Bool {
        // SIG_IGN, a macro that Swift does not import, has the value 1.
        unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    }
}
