import Glibc

/// The error of a failed system call: the name of the call and its `errno`.
package struct SystemCallError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The name of the call as in its manual page, such as `mmap`; or the failed check of a received descriptor, such
    /// as `memory file is not sealed`.
    package let call: String
    /// The `errno` of the failed call.
    package let number: Int32

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - call: The name of the system call, or the failed check.
    ///   - number: The `errno`.
    package init(call: String, number: Int32) {
        self.call = call
        self.number = number
    }

    /// The message of the C library for ``number``, such as `Cannot allocate memory`.
    package var reason: String {
        var buffer = [CChar](repeating: 0, count: 256)
        return buffer.withUnsafeMutableBufferPointer { bytes in
            guard let baseAddress = bytes.baseAddress, strerror_r(number, baseAddress, bytes.count) == 0 else {
                return "error \(number)"
            }
            return String(cString: baseAddress)
        }
    }

    /// The name of the call and ``reason``, such as `mmap: Cannot allocate memory`.
    package var description: String { "\(call): \(reason)" }
}

/// Runs a system call that reports failure as a negative number. Repeats the call if a signal interrupts it.
///
/// - Throws: ``SystemCallError`` with the `errno` of the call.
@discardableResult
package func systemCall<Result: SignedInteger>(_ name: String, _ body: () -> Result) throws(SystemCallError) -> Result {
    while true {
        let result = body()
        if result >= 0 { return result }
        let number = errno
        if number != EINTR { throw SystemCallError(call: name, number: number) }
    }
}
