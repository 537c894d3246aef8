import SystemCalls

extension DirectoryDescriptor {
    /// Writes a small file, whose readers see the old or the new content, never a part, also after a loss of power.
    func store(_ name: String, _ bytes: [UInt8]) throws(SystemCallError) {
        let temporaryName = name + ".new"
        try remove(temporaryName)
        try create(temporaryName, content: bytes)
        try replace(name, with: temporaryName)
    }
}
