import TestSupport

extension RuntimeDirectory {
    /// Runs `swiftplay system` for the compositor that serves here.
    @discardableResult
    func system(_ words: [String]) throws -> String {
        let child = try ChildProcess(Products.swiftplay, ["system"] + words, runtimeDirectory: self)
        let status = try child.waitForExit()
        guard status.isSuccess else { throw RigError("swiftplay system \(words): \(child.errors.text)") }
        return child.output.text
    }

    /// Waits until the compositor, which looks at the sound cards in the background, is done with that: what it has
    /// open then it keeps.
    func waitUntilRouteIsKnown() throws {
        let isKnown = Deadline.poll(for: .seconds(10), every: .milliseconds(50)) {
            (try? system(["sessions"]))?.contains("output: unknown") == false ? true : nil
        }
        guard isKnown == true else { throw RigError("the compositor does not find out where sound is heard") }
    }
}
