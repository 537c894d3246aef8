import CLinux
import Glibc

/// The descriptors 0 to 2: standard input, output and error.
package enum StandardDescriptors {
    /// Opens `/dev/null` in place of those that are closed. Otherwise the next files of the program would get their
    /// numbers, and would be read as standard input or written as messages. Call it before any file is opened.
    package static func openMissing() {
        for number in STDIN_FILENO...STDERR_FILENO {
            var status = stat()
            // The new descriptor gets the smallest free number.
            if fstat(number, &status) != 0, errno == EBADF { _ = open("/dev/null", O_RDWR) }
        }
    }

    /// Writes out what `print` has collected.
    ///
    /// - Returns: The number of the error, -1 if an earlier write has failed and its error is not known, or 0.
    package static func flushOutput() -> Int32 { clinux_flush_standard_output() }
}
