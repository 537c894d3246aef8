import CLinux
import Glibc

/// Programs that this process starts.
package enum ChildProgram {
    /// A step that prepares a descriptor of a new program.
    package enum DescriptorStep {
        /// Opens a file as the descriptor `number`.
        case open(path: String, flags: Int32, as: Int32)
        /// Makes `as` a duplicate of the first descriptor.
        case copy(Int32, as: Int32)
    }

    /// Starts a program in a new process, without blocked signals. It may be ended by SIGPIPE, also if this process
    /// ignores that signal.
    ///
    /// - Parameters:
    ///   - program: The path of the program, or its name if `searchesPath` is true.
    ///   - arguments: The arguments after the program's name.
    ///   - steps: The steps that prepare the descriptors, in order.
    ///   - descriptorCount: The program inherits only descriptors below this number.
    ///   - hasOwnSession: Whether the process leads a POSIX session of its own, and so has no controlling terminal.
    ///   - searchesPath: Whether the program is searched in the folders of `PATH`.
    /// - Returns: The process ID. The caller must wait for the process after its end.
    package static func start(
        _ program: String, _ arguments: [String], steps: [DescriptorStep], descriptorCount: Int32,
        hasOwnSession: Bool = false, searchesPath: Bool = false
    ) throws(SystemCallError) -> pid_t {
        var fileActions = posix_spawn_file_actions_t(), attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&fileActions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&fileActions)
            posix_spawnattr_destroy(&attributes)
        }
        for step in steps {
            switch step {
            case .open(let path, let flags, let number):
                posix_spawn_file_actions_addopen(&fileActions, number, path, flags, 0)
            case .copy(let source, let number): posix_spawn_file_actions_adddup2(&fileActions, source, number)
            }
        }
        clinux_close_from(&fileActions, descriptorCount)
        var emptySignalSet = sigset_t()
        sigemptyset(&emptySignalSet)
        posix_spawnattr_setsigmask(&attributes, &emptySignalSet)
        var defaultSignals = sigset_t()
        sigemptyset(&defaultSignals)
        sigaddset(&defaultSignals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &defaultSignals)
        // Swift does not import POSIX_SPAWN_SETSID.
        let newSessionFlag: Int16 = hasOwnSession ? 0x80 : 0
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | newSessionFlag)
        var argumentPointers: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
        argumentPointers.append(nil)
        defer { for pointer in argumentPointers { free(pointer) } }
        var processID = pid_t()
        let call = searchesPath ? posix_spawnp : posix_spawn
        let errorNumber = call(&processID, program, &fileActions, &attributes, argumentPointers, environ)
        guard errorNumber == 0 else { throw SystemCallError(call: "posix_spawn", number: errorNumber) }
        return processID
    }

    /// Waits until a child process has ended, and releases its process ID.
    ///
    /// - Parameter deadline: The host time in nanoseconds until which the method waits.
    /// - Returns: The status that `waitpid` reports; nil if the process has not ended in time, or is not a child of
    ///   this process.
    package static func waitForExit(of processID: pid_t, until deadline: Int64) -> Int32? {
        let descriptor = clinux_pidfd_open(processID)
        guard descriptor >= 0 else { return nil }
        let handle = FileDescriptor(owning: descriptor)
        // The descriptor is readable once the process has ended.
        guard (try? Poll.waitReadable(handle.raw, until: deadline)) == true else { return nil }
        var status: Int32 = 0
        return waitpid(processID, &status, WNOHANG) == processID ? status : nil
    }
}
