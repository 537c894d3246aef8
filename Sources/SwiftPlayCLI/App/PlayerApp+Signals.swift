import Dispatch
import Glibc
import SwiftPlayKit
import VideoOutput

/// The signals that end the program.
extension PlayerApp {
    /// The longest time that the program waits for the X server to close the window after a signal or an IPC client has
    /// requested the end of the program. After that time, the program ends the connection to the X server.
    nonisolated static let disconnectTimeout = DispatchTimeInterval.milliseconds(300)

    /// Ends the program cleanly on SIGINT, SIGTERM and SIGHUP, and ignores SIGPIPE. A SIGHUP that `nohup` has set to be
    /// ignored stays ignored.
    func catchSignals() {
        for signalNumber in [SIGINT, SIGTERM, SIGHUP] {
            if signalNumber == SIGHUP, TerminalSignals.isIgnored(signalNumber) { continue }
            signal(signalNumber, SIG_IGN)
            // Handle signals on another queue: the main queue may wait for a display server that does not respond.
            let source = DispatchSource.makeSignalSource(signal: signalNumber, queue: .global(qos: .userInitiated))
            source.setEventHandler { @Sendable [weak self] in
                PlayerWindow.disconnectWindows(after: Self.disconnectTimeout)
                DispatchQueue.main.async { MainActor.assumeIsolated { self?.end(.signalled) } }
            }
            source.resume()
            signalSources.append(source)
        }
        signal(SIGPIPE, SIG_IGN)
    }
}
