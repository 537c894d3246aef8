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
}
