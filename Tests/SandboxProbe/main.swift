// Applies the sandbox of the transfer engine, and then tries actions on the existing file that is its argument. Prints
// a line for each action: its name, and "ok" or the number of the error.
import CLinux
import Glibc
import SystemCalls
import TransferEngine

guard CommandLine.arguments.count == 2 else { exit(64) }
let path = CommandLine.arguments[1]
let openFile = open(path, O_RDWR)
let parent = getppid()
let restrictions = EngineSandbox.apply()
print("restrictions \(restrictions.rawValue)")

/// Prints the outcome of an action that returns a negative number or a null pointer after a failure.
func attempt(_ name: String, _ action: () -> Int) {
    errno = 0
    print(name, action() < 0 ? "\(errno)" : "ok")
}

attempt("open-new") { Int(clinux_open(path + ".new", O_WRONLY | O_CREAT, 0o600)) }
attempt("open-to-write") { Int(clinux_open(path, O_WRONLY, 0)) }
attempt("open-to-read") { Int(clinux_open(path, O_RDONLY, 0)) }
attempt("truncate") { Int(truncate(path, 0)) }
attempt("unlink") { Int(unlink(path)) }
attempt("rename") { Int(rename(path, path + ".new")) }
attempt("link") { Int(link(path, path + ".new")) }
attempt("symlink") { Int(symlink(path, path + ".new")) }
attempt("mkdir") { Int(mkdir(path + ".new", 0o700)) }
attempt("chmod") { Int(chmod(path, 0o777)) }
attempt("kill") { Int(kill(parent, 0)) }
attempt("listen") { Int(listen(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0), 1)) }
attempt("execve") {
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
    return Int(execve("/bin/true", &arguments, environ))
}
attempt("spawn") {
    do throws(SystemCallError) {
        _ = try ChildProgram.start("/bin/true", [], steps: [], descriptorCount: 3)
        return 0
    } catch {
        errno = error.number
        return -1
    }
}
attempt("write-to-open-file") { pwrite(openFile, "x", 1, 0) }
attempt("synchronise") { Int(fdatasync(openFile)) }
attempt("resolve") {
    var result: UnsafeMutablePointer<addrinfo>?
    defer { if let result { freeaddrinfo(result) } }
    return getaddrinfo("localhost", "80", nil, &result) == 0 ? 0 : -1
}
attempt("thread") {
    do throws(SystemCallError) {
        try NamedThread("probe") {}.join()
        return 0
    } catch { return -1 }
}
attempt("connect-socket") { Int(clinux_nonblocking_stream_socket(AF_INET)) }
