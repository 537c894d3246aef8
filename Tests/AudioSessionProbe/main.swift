import ProbeSupport

// A test program that performs commands of a test on a player and its audio session, and writes a line for each
// notification of the session.
//
// usage: AudioSessionProbe COMMANDS
//
// COMMANDS is the path of the named pipe that contains the commands. AudioProbe.perform lists them. The service for
// background work starts the program again with this path after the command `configure`.

let probe = AudioProbe()
CommandPipe.run("AudioSessionProbe") { probe.perform($0.split(separator: " ").map(String.init)) }
