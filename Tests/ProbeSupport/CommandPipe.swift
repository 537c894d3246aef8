import Dispatch
import Glibc

/// A test's commands to its program, line by line, from a named pipe. On the main queue.
@MainActor
public final class CommandPipe {
    private let descriptor: Int32
    private let source: any DispatchSourceRead
    private var rest: [UInt8] = []
    private let perform: (String) -> Void

    private init(_ path: String, perform: @escaping (String) -> Void) {
        // Open for writing too, so that it does not end when a writer goes.
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { fatalError("cannot open \(path)") }
        self.perform = perform
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
        source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.read() } }
        source.resume()
    }

    /// Serves the pipe that the program was started with (`usage: NAME COMMANDS`), for as long as it runs.
    public static func run(_ name: String, perform: @escaping (String) -> Void) -> Never {
        guard CommandLine.arguments.count == 2 else { fatalError("usage: \(name) COMMANDS") }
        let pipe = CommandPipe(CommandLine.arguments[1], perform: perform)
        withExtendedLifetime(pipe) { dispatchMain() }
    }

    private func read() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count > 0 else { return }
        rest += bytes[..<count]
        while let end = rest.firstIndex(of: 0x0A) {
            let line = String(decoding: rest[..<end], as: UTF8.self)
            rest.removeSubrange(...end)
            perform(line)
        }
    }
}
