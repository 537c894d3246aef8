import ProbeSupport

// A program with sound that embeds the library and does what a test tells it, line by line, and writes a line for
// everything that it hears from its audio session: what users of the library hear, in a process of its own.
//
// usage: AudioSessionProbe COMMANDS, a named pipe. The commands: see SoundActor.perform.

let actor = SoundActor()
CommandPipe.run("AudioSessionProbe") { actor.perform($0.split(separator: " ").map(String.init)) }
