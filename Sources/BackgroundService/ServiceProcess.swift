import CLinux
import Glibc
import SystemCalls

/// A process that the service has started. Collects its exit status, so that it does not stay a zombie.
final class ServiceProcess: EventSource {
    /// The process ID.
    let processID: Int32
    /// The pidfd, which is readable once the process has ended.
    private let descriptor: FileDescriptor
    /// Whether the process has ended.
    private(set) var hasExited = false
    /// The time of the processor in nanoseconds that the process had used when it ended, with that of its children.
    private(set) var exitCPUTime: Int64?
    /// Whether the processes of its group are killed when the process has ended.
    var killsGroupAtExit = false
    /// Whether the process has completed a fetch, a notification or the events of its sessions.
    var hasCompletedWake = false
    /// Called on the loop's thread when the process has ended.
    var onExit: () -> Void = {}

    /// Watches a child process.
    init(_ processID: Int32) throws(SystemCallError) {
        self.processID = processID
        descriptor = FileDescriptor(owning: try systemCall("pidfd_open") { clinux_pidfd_open(processID) })
    }

    var entries: [Poll.Entry] { [Poll.Entry(hasExited ? -1 : descriptor.raw)] }

    /// Collects the exit status, and calls ``onExit``.
    func process(_ ready: ArraySlice<Poll.Entry>, now: Int64) {
        guard !hasExited, ready.contains(where: { $0.isReady }) else { return }
        // Until the exit status was collected, no other group can have its number.
        if killsGroupAtExit { kill(-processID, SIGKILL) }
        var usage = rusage()
        let ended = wait4(processID, nil, WNOHANG, &usage)
        guard ended != 0 else { return }
        hasExited = true
        if ended == processID {
            let microseconds = [usage.ru_utime, usage.ru_stime].reduce(Int64(0)) {
                $0 + Int64($1.tv_sec) * 1_000_000 + Int64($1.tv_usec)
            }
            exitCPUTime = microseconds * 1000
        }
        onExit()
    }

    /// Sends a signal, unless the process has ended.
    func send(signal: Int32) {
        if !hasExited { _ = clinux_pidfd_send_signal(descriptor.raw, signal) }
    }
}

/// The programs of the package, which are installed beside each other.
enum ServicePrograms {
    /// The path of the running program when this property was first used; nil if it is not UTF-8. An upgrade may have
    /// removed the file, and puts a new one there.
    static let own: String? = {
        if let path = FilePath(cString: "/proc/self/exe").resolved { return path.text }
        var link = [CChar](repeating: 0, count: Int(PATH_MAX))
        // The kernel appends this to the name of a removed file.
        let count = readlink("/proc/self/exe", &link, link.count), suffix = " (deleted)"
        guard count > 0, let path = String(validating: link[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self),
            path.hasSuffix(suffix)
        else { return nil }
        return String(path.dropLast(suffix.count))
    }()

    /// Returns the path of a program: the value of `variable`, else a file beside the running program, else one on
    /// `PATH`; nil if none of them can be run.
    static func path(of name: String, variable: String) -> String? {
        if let configured = getenv(variable), configured.pointee != 0 {
            let path = String(cString: configured)
            return access(path, X_OK) == 0 ? path : nil
        }
        if let program = own.flatMap({ FilePath($0) }), let folder = String(validating: program.folder, as: UTF8.self),
            access(folder + name, X_OK) == 0
        {
            return folder + name
        }
        let folders = (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":")
        return folders.map { $0 + "/" + name }.first { access($0, X_OK) == 0 }
    }
}
