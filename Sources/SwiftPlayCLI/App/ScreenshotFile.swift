import Glibc
import SystemCalls

/// Writes image files without replacing existing ones.
enum ScreenshotFile {
    /// The reason why a file could not be written.
    struct Failure: Error { var message: String }

    /// The largest number in the name of a screenshot.
    private static let largestNumber = 99_999

    /// Writes a file under the first name that does not exist.
    ///
    /// - Parameters:
    ///   - names: Returns the path for a number from 1.
    ///   - hasNumber: Whether the path depends on the number.
    /// - Returns: The path.
    static func write(_ bytes: [UInt8], hasNumber: Bool, names: (Int) -> String) throws(Failure) -> String {
        for number in 1...(hasNumber ? largestNumber : 1) {
            let path = names(number)
            do throws(SystemCallError) {
                try write(bytes, toNewFile: path)
                return path
            } catch {
                guard error.number == EEXIST, hasNumber else {
                    throw Failure(message: "cannot write the screenshot \(path): \(error.reason)")
                }
            }
        }
        throw Failure(message: "cannot write the screenshot \(names(largestNumber)): no number is free")
    }

    /// Writes a new file, and removes it if it cannot be written completely.
    private static func write(_ bytes: [UInt8], toNewFile path: String) throws(SystemCallError) {
        let file = try FileDescriptor(opening: path, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o644)
        var failure: SystemCallError?
        bytes.withUnsafeBytes { buffer in
            do throws(SystemCallError) { try file.write(buffer, at: 0) } catch { failure = error }
        }
        guard let failure else { return }
        try? DirectoryEntry.remove(path)
        throw failure
    }
}
