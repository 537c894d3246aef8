import Dispatch
import Glibc

// A program that embeds the library and does what a test tells it, line by line, and writes a line for each call that it gets: what users of
// the library see, in a process of its own.
//
// usage: PictureInPictureProbe COMMANDS, a named pipe. The commands: see Probe.perform.

guard CommandLine.arguments.count == 2 else { fatalError("usage: PictureInPictureProbe COMMANDS") }
// Open for writing too, so that it does not end when a writer goes.
let input = open(CommandLine.arguments[1], O_RDWR | O_NONBLOCK | O_CLOEXEC)
guard input >= 0 else { fatalError("cannot open \(CommandLine.arguments[1])") }
let probe = Probe()
let source = DispatchSource.makeReadSource(fileDescriptor: input, queue: .main)
source.setEventHandler {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(input, &bytes, bytes.count)
    MainActor.assumeIsolated { if count > 0 { probe.take(bytes[..<count]) } }
}
source.resume()
dispatchMain()
