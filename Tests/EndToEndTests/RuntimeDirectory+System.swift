import TestSupport
import WireFormat

extension RuntimeDirectory {
    /// Waits until a started compositor accepts connections, and returns a connection. The existence of the socket file
    /// is no sign: `bind` creates the file before `listen`.
    @discardableResult
    func connectToCompositor(_ compositor: ChildProcess) throws -> MessageSocket {
        let path = self.path + "/swiftplay/compositor"
        guard let connection = Deadline.poll(for: .seconds(10), { try? LocalSocket.connect(path: path) }) else {
            throw TestFailure("the compositor accepts no connection: \(compositor.errors.text)")
        }
        return connection
    }

    /// Runs `swiftplay system` with `arguments` for the compositor of this runtime directory, and returns
    /// the output.
    @discardableResult
    func runSystemCommand(_ arguments: [String]) throws -> String {
        let child = try ChildProcess(Products.swiftplayPath, ["system"] + arguments, runtimeDirectory: self)
        let status = try child.waitForExit()
        guard status.isSuccess else { throw TestFailure("swiftplay system \(arguments): \(child.errors.text)") }
        return child.output.text
    }

    /// Waits until the compositor, which opens the sound cards in the background, has determined the audio output
    /// device.
    ///
    /// Afterwards the number of file descriptors that the compositor has open no longer grows.
    func waitUntilAudioRouteIsKnown() throws {
        let isKnown = Deadline.poll(for: .seconds(10), every: .milliseconds(50)) {
            (try? runSystemCommand(["sessions"]))?.contains("output: unknown") == false ? true : nil
        }
        guard isKnown == true else { throw TestFailure("the compositor does not know the output") }
    }
}
