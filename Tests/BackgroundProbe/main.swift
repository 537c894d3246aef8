import Dispatch
import FoundationEssentials
import Glibc
import SwiftPlayBackground

// A program with background sessions for tests.
//
// usage: BackgroundProbe LOG FOLDER [OPTION...] [URL...]
//
// Downloads the addresses, moves each file to FOLDER under the number of its transfer, and appends a line for each
// event to LOG. The service starts the program again with LOG, FOLDER and a part of the options, which ProbeOptions
// describes. The program exits when all events were delivered. Every start resumes the transfers of earlier starts.
// SIGUSR1 lets a waiting call of the delegate return.
//
// usage: BackgroundProbe LOG wakes NAME BEHAVIOUR
//
// Handles fetches and notifications as WakeProbe.swift describes.

/// Appends a line to the log in one write, so that lines of several processes do not mix.
func report(_ path: String, _ line: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    let bytes = Array((line + "\n").utf8)
    _ = write(descriptor, bytes, bytes.count)
    close(descriptor)
}

var arguments = CommandLine.arguments.dropFirst()
if arguments.dropFirst().first == "wakes" {
    let probe = startWakeProbe(Array(arguments))
    withExtendedLifetime(probe) { dispatchMain() }
}
guard let log = arguments.popFirst(), let folder = arguments.popFirst() else {
    fatalError("usage: BackgroundProbe LOG FOLDER [OPTION...] [URL...]")
}
let options = ProbeOptions(arguments)
let delegate = ProbeDelegate(log: log, folder: folder, options: options)
signal(SIGUSR1, SIG_IGN)
let permission = DispatchSource.makeSignalSource(signal: SIGUSR1, queue: .global())
permission.setEventHandler { @Sendable [delegate] in delegate.permit() }
permission.resume()
report(log, "start \(BackgroundApplication.shared.isBackgroundStart ? "background" : "user")")
BackgroundApplication.shared.configure(
    identifier: "org.swiftplay.probe", launchArguments: [log, folder] + options.launchArguments, delegate: delegate)
if options.sessions.isEmpty { report(log, "has no session") }
if !BackgroundApplication.shared.isBackgroundStart { delegate.makeTransfers() }
dispatchMain()
