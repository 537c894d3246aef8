import Dispatch
import Glibc

// A program with sound that embeds the library and does what a test tells it, line by line, and writes a line for everything that it hears from
// its audio session: what users of the library hear, in a process of its own.
//
// usage: AudioSessionProbe COMMANDS, a named pipe. The commands: see Actor.perform.

guard CommandLine.arguments.count == 2 else { fatalError("usage: AudioSessionProbe COMMANDS") }
// Open for writing too, so that it does not end when a writer goes.
let input = open(CommandLine.arguments[1], O_RDWR | O_NONBLOCK | O_CLOEXEC)
guard input >= 0 else { fatalError("cannot open \(CommandLine.arguments[1])") }
let actor = SoundActor()
let source = DispatchSource.makeReadSource(fileDescriptor: input, queue: .main)
source.setEventHandler {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(input, &bytes, bytes.count)
    MainActor.assumeIsolated { if count > 0 { actor.take(bytes[..<count]) } }
}
source.resume()
dispatchMain()
