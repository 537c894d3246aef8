import Dispatch
import Glibc

/// Reads command lines that a test writes to a named pipe, on the main queue.
@MainActor
public final class CommandPipe {
    private let descriptor: Int32
    private let readSource: any DispatchSourceRead
    /// The received bytes of a command line that is not complete yet.
    private var partialLine: [UInt8] = []
    private let perform: (String) -> Void

    private init(_ path: String, perform: @escaping (String) -> Void) {
        // The pipe is also open for writing, so that reading does not end when the test closes the pipe.
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { fatalError("cannot open \(path)") }
        self.perform = perform
        readSource = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
        readSource.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.readCommands() } }
        readSource.resume()
    }

    /// Performs the commands that arrive in a named pipe, whose path is the only program argument, until the process
    /// exits. `name` is the program name for the usage message.
    public static func run(_ name: String, perform: @escaping (String) -> Void) -> Never {
        guard CommandLine.arguments.count == 2 else { fatalError("usage: \(name) COMMANDS") }
        let pipe = CommandPipe(CommandLine.arguments[1], perform: perform)
        withExtendedLifetime(pipe) { dispatchMain() }
    }

    private func readCommands() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return }
        partialLine += bytes[..<count]
        while let end = partialLine.firstIndex(of: 0x0A) {
            let line = String(decoding: partialLine[..<end], as: UTF8.self)
            partialLine.removeSubrange(...end)
            perform(line)
        }
    }
}
