import Foundation
import Glibc
import SystemCalls

/// Starts programs in new sessions with default signal handling. A program inherits only its three standard
/// descriptors; all others are closed on exec.
enum Spawn {
    /// The files behind the standard input, output and error descriptors of a new program.
    enum Streams {
        /// Standard input is empty; standard output and standard error are these descriptors.
        case pipes(output: Int32, errors: Int32)
        /// All three descriptors are the terminal at this path, which becomes the controlling terminal of the session.
        case terminal(path: String)
    }

    /// Starts a program and returns its process identifier.
    static func start(
        _ program: String, _ arguments: [String], environment changes: [String: String?], streams: Streams
    ) throws(SystemCallError) -> pid_t {
        var environment = ProcessInfo.processInfo.environment
        for (name, value) in changes { environment[name] = value }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        switch streams {
        case .pipes(let output, let errors):
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_adddup2(&actions, output, 1)
            posix_spawn_file_actions_adddup2(&actions, errors, 2)
        case .terminal(let path):
            // The first terminal that a session leader opens becomes its controlling terminal.
            posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR, 0)
            posix_spawn_file_actions_adddup2(&actions, 0, 1)
            posix_spawn_file_actions_adddup2(&actions, 0, 2)
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t(), allSignals = sigset_t()
        sigemptyset(&noSignals)
        sigfillset(&allSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setsigdefault(&attributes, &allSignals)
        // 0x80 is POSIX_SPAWN_SETSID, which needs _GNU_SOURCE.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | 0x80))

        var pid = pid_t()
        let argv = ([program] + arguments).map { strdup($0) } + [nil]
        let envp = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for string in argv + envp { free(string) } }
        let spawnResult = posix_spawn(&pid, program, &actions, &attributes, argv, envp)
        guard spawnResult == 0 else { throw SystemCallError(call: "posix_spawn \(program)", number: spawnResult) }
        return pid
    }
}
