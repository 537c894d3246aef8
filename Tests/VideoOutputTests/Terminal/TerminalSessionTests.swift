import Glibc
import SharedFrames
import SystemCalls
import Testing

@testable import VideoOutput

/// The tests run one after another, because terminal sessions share the signal handlers of the process.
@Suite(.serialized) struct TerminalSessionTests {
    /// The escape sequences that switch the terminal to the alternate screen and back.
    private static let enterAlternateScreen = "\u{1b}[?1049h", leaveAlternateScreen = "\u{1b}[?1049l"

    /// Returns whether two terminal settings are equal.
    private func haveEqualModes(_ a: termios, _ b: termios) -> Bool {
        a.c_lflag == b.c_lflag && a.c_iflag == b.c_iflag && a.c_oflag == b.c_oflag && a.c_cflag == b.c_cflag
    }

    @Test func closeRestoresTheTerminal() throws {
        let terminal = try PseudoTerminal()
        let settingsBefore = terminal.settings, flags = fcntl(terminal.slave.raw, F_GETFL)
        let session = try terminal.session()
        #expect(terminal.settings.c_lflag & tcflag_t(ECHO | ICANON) == 0)
        #expect(terminal.settings.c_lflag & tcflag_t(ISIG) != 0)
        // Opening a session leaves the file status flags of the caller's descriptor unchanged.
        #expect(fcntl(terminal.slave.raw, F_GETFL) == flags)
        #expect(terminal.read(until: Self.enterAlternateScreen).contains(Self.enterAlternateScreen + "\u{1b}[?25l"))
        session.close()
        #expect(haveEqualModes(terminal.settings, settingsBefore))
        let output = terminal.read(until: "\u{1b}[23;0t")
        #expect(output.contains("\u{1b}[?25h" + Self.leaveAlternateScreen))
        session.close()
        #expect(terminal.read().isEmpty)
        #expect(fcntl(terminal.slave.raw, F_GETFL) == flags)
    }

    @Test func deinitRestoresTheTerminal() throws {
        let terminal = try PseudoTerminal()
        let settingsBefore = terminal.settings
        do { _ = try terminal.session() }
        #expect(haveEqualModes(terminal.settings, settingsBefore))
        #expect(terminal.read(until: Self.leaveAlternateScreen).contains(Self.leaveAlternateScreen))
    }

    @Test func restoringTwiceWritesTheSequenceOnce() throws {
        let terminal = try PseudoTerminal()
        let settingsBefore = terminal.settings
        let session = try terminal.session()
        _ = terminal.read(until: Self.enterAlternateScreen)
        TerminalRestorer.restoreNow()
        #expect(!session.isActive)
        #expect(haveEqualModes(terminal.settings, settingsBefore))
        #expect(terminal.read(until: "\u{1b}[23;0t").contains(Self.leaveAlternateScreen))
        TerminalRestorer.restoreNow()
        session.close()
        #expect(terminal.read().isEmpty)
    }

    @Test func suspendRestoresTheTerminalAndResumeTakesItAgain() throws {
        let terminal = try PseudoTerminal()
        let settingsBefore = terminal.settings
        let session = try terminal.session()
        _ = terminal.read(until: Self.enterAlternateScreen)
        session.suspend()
        #expect(haveEqualModes(terminal.settings, settingsBefore))
        #expect(terminal.read(until: "\u{1b}[23;0t").contains(Self.leaveAlternateScreen))
        session.resume()
        #expect(terminal.settings.c_lflag & tcflag_t(ICANON) == 0)
        #expect(terminal.read(until: "\u{1b}[2J").contains(Self.enterAlternateScreen))
        session.close()
        #expect(haveEqualModes(terminal.settings, settingsBefore))
    }

    @Test func closeRestoresATerminalWithAFullOutputBuffer() throws {
        let terminal = try PseudoTerminal()
        let settingsBefore = terminal.settings
        let session = try terminal.session()
        let fillerBytes = [UInt8](repeating: 0x78, count: 4096)
        while write(session.raw, fillerBytes, fillerBytes.count) > 0 {}
        session.close()
        #expect(haveEqualModes(terminal.settings, settingsBefore))
        #expect(terminal.read().hasSuffix(Self.leaveAlternateScreen + "\u{1b}[23;0t"))
    }

    @Test func filesThatAreNoTerminalAndDumbTerminalsAreRejected() throws {
        #expect(throws: SystemCallError(call: "isatty", number: ENOTTY)) {
            let file = try FileDescriptor(opening: "/dev/null", flags: O_RDWR)
            _ = try TerminalSession(descriptor: file.raw)
        }
        let terminal = try PseudoTerminal()
        #expect(throws: SystemCallError.self) { _ = try terminal.session(["TERM": "dumb"]) }
        #expect(terminal.read().isEmpty)
    }

    @Test func closingFreesTheSlotOfTheTerminalRestorer() throws {
        let terminal = try PseudoTerminal()
        for _ in 0..<(TerminalRestorer.slotCount * 2) { try terminal.session().close() }
    }

    /// Runs a child process that raises a fatal signal. The crash handler must restore the inherited terminal, and the
    /// child must still exit by that signal.
    @Test(arguments: [SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGHUP, SIGQUIT])
    func fatalSignalsRestoreTheTerminal(_ signal: Int32) throws {
        // Swift does not import `fork`, because the child of a multithreaded process may call few functions. This child
        // only installs handlers and raises the signal.
        let symbol = try #require(dlsym(nil, "fork"), "the C library has no fork")
        let fork = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
        let terminal = try PseudoTerminal()
        let settingsBefore = terminal.settings
        let session = try terminal.session()
        _ = terminal.read(until: Self.enterAlternateScreen)
        let child = fork()
        if child == 0 {
            // Removes the backtrace handlers of the test process from the child only.
            Glibc.signal(signal, SIG_DFL)
            TerminalSignals.installCrashHandlers()
            var emptySet = sigset_t()
            sigemptyset(&emptySet)
            pthread_sigmask(SIG_SETMASK, &emptySet, nil)
            raise(signal)
            _exit(0)
        }
        var status: Int32 = 0
        try systemCall("waitpid") { waitpid(child, &status, 0) }
        #expect(status & 0x7f == signal)
        #expect(haveEqualModes(terminal.settings, settingsBefore))
        #expect(terminal.read(until: "\u{1b}[23;0t").contains(Self.leaveAlternateScreen))
        session.close()
    }
}
