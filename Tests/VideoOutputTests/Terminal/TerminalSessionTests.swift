import Glibc
import SharedFrames
import SystemCalls
import Testing

@testable import VideoOutput

/// Sessions share the signals of the process: one at a time.
@Suite(.serialized) struct TerminalSessionTests {
    private static let enter = "\u{1b}[?1049h", leave = "\u{1b}[?1049l"

    private func isSame(_ a: termios, _ b: termios) -> Bool {
        a.c_lflag == b.c_lflag && a.c_iflag == b.c_iflag && a.c_oflag == b.c_oflag && a.c_cflag == b.c_cflag
    }

    @Test func closePutsEverythingBack() throws {
        let terminal = try PseudoTerminal()
        let before = terminal.modes, flags = fcntl(terminal.slave.raw, F_GETFL)
        let session = try terminal.session()
        #expect(terminal.modes.c_lflag & tcflag_t(ECHO | ICANON) == 0)
        #expect(terminal.modes.c_lflag & tcflag_t(ISIG) != 0)
        // The caller's own descriptor is as it was.
        #expect(fcntl(terminal.slave.raw, F_GETFL) == flags)
        #expect(terminal.read(until: Self.enter).contains(Self.enter + "\u{1b}[?25l"))
        session.close()
        #expect(isSame(terminal.modes, before))
        let end = terminal.read(until: "\u{1b}[23;0t")
        #expect(end.contains("\u{1b}[?25h" + Self.leave))
        session.close()
        #expect(terminal.read().isEmpty)
        #expect(fcntl(terminal.slave.raw, F_GETFL) == flags)
    }

    @Test func releasePutsEverythingBack() throws {
        let terminal = try PseudoTerminal()
        let before = terminal.modes
        do { _ = try terminal.session() }
        #expect(isSame(terminal.modes, before))
        #expect(terminal.read(until: Self.leave).contains(Self.leave))
    }

    @Test func restoreNowIsIdempotent() throws {
        let terminal = try PseudoTerminal()
        let before = terminal.modes
        let session = try terminal.session()
        _ = terminal.read(until: Self.enter)
        TerminalRestorer.restoreNow()
        #expect(!session.isActive)
        #expect(isSame(terminal.modes, before))
        #expect(terminal.read(until: "\u{1b}[23;0t").contains(Self.leave))
        TerminalRestorer.restoreNow()
        session.close()
        #expect(terminal.read().isEmpty)
    }

    @Test func suspendAndResume() throws {
        let terminal = try PseudoTerminal()
        let before = terminal.modes
        let session = try terminal.session()
        _ = terminal.read(until: Self.enter)
        session.suspend()
        #expect(isSame(terminal.modes, before))
        #expect(terminal.read(until: "\u{1b}[23;0t").contains(Self.leave))
        session.resume()
        #expect(terminal.modes.c_lflag & tcflag_t(ICANON) == 0)
        #expect(terminal.read(until: "\u{1b}[2J").contains(Self.enter))
        session.close()
        #expect(isSame(terminal.modes, before))
    }

    @Test func aFullTerminalIsPutBackToo() throws {
        let terminal = try PseudoTerminal()
        let before = terminal.modes
        let session = try terminal.session()
        let rubbish = [UInt8](repeating: 0x78, count: 4096)
        while write(session.raw, rubbish, rubbish.count) > 0 {}
        session.close()
        #expect(isSame(terminal.modes, before))
        #expect(terminal.read().hasSuffix(Self.leave + "\u{1b}[23;0t"))
    }

    @Test func whatIsNoTerminalIsRefused() throws {
        #expect(throws: SystemCallError(call: "isatty", number: ENOTTY)) {
            let file = try FileDescriptor(opening: "/dev/null", flags: O_RDWR)
            _ = try TerminalSession(descriptor: file.raw)
        }
        let terminal = try PseudoTerminal()
        #expect(throws: SystemCallError.self) { _ = try terminal.session(["TERM": "dumb"]) }
        #expect(terminal.read().isEmpty)
    }

    @Test func slotsComeBack() throws {
        let terminal = try PseudoTerminal()
        for _ in 0..<(TerminalRestorer.count * 2) { try terminal.session().close() }
    }

    /// A child that dies by a signal: what it inherited is put back before it goes, and it goes by that signal.
    @Test(arguments: [SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGHUP, SIGQUIT])
    func fatalSignalsPutTheTerminalBack(_ signal: Int32) throws {
        // Not imported, since a child of a process with threads can do little: this one does no more than die.
        let symbol = try #require(dlsym(nil, "fork"), "the C library has no fork")
        let fork = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
        let terminal = try PseudoTerminal()
        let before = terminal.modes
        let session = try terminal.session()
        _ = terminal.read(until: Self.enter)
        let child = fork()
        if child == 0 {
            // Without the handlers that print backtraces in tests; the parent keeps them.
            Glibc.signal(signal, SIG_DFL)
            TerminalSignals.installCrashHandlers()
            var set = sigset_t()
            sigemptyset(&set)
            pthread_sigmask(SIG_SETMASK, &set, nil)
            raise(signal)
            _exit(0)
        }
        var status: Int32 = 0
        try systemCall("waitpid") { waitpid(child, &status, 0) }
        #expect(status & 0x7f == signal)
        #expect(isSame(terminal.modes, before))
        #expect(terminal.read(until: "\u{1b}[23;0t").contains(Self.leave))
        session.close()
    }
}
