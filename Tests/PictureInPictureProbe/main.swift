import ProbeSupport
import SwiftPlayKit

// A program that embeds the library and does what a test tells it, line by line, and writes a line for each call that
// it gets: what users of the library see, in a process of its own.
//
// usage: PictureInPictureProbe COMMANDS, a named pipe. The commands: see Probe.perform.

// A film's: what its category is decides whether its picture may float.
try AudioSession.sharedInstance().setCategory(.playback)
let probe = Probe()
CommandPipe.run("PictureInPictureProbe") { probe.perform($0) }
