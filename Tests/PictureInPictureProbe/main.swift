import ProbeSupport
import SwiftPlayKit

// A test program that performs commands of a test on windows with Picture-in-Picture, and writes a line for each
// delegate call.
//
// usage: PictureInPictureProbe COMMANDS
//
// COMMANDS is the path of the named pipe that contains the commands. Probe.perform and Scene.perform list them.

// Picture-in-Picture requires the audio session category for playback.
try AudioSession.sharedInstance().setCategory(.playback)
let probe = Probe()
CommandPipe.run("PictureInPictureProbe") { probe.perform($0) }
