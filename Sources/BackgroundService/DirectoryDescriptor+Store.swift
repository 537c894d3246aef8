import Glibc
import SystemCalls

extension DirectoryDescriptor {
    /// Writes a small file, whose readers see the old or the new content, never a part.
    func store(_ name: String, _ bytes: [UInt8]) throws(SystemCallError) {
        let temporaryName = name + ".new"
        try remove(temporaryName)
        let file = try create(temporaryName)
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(SystemCallError) in try file.write(buffer, at: 0) }
        }
        try result.get()
        try replace(name, with: temporaryName)
    }
}
