/// The field `Retry-After` of a response (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// The accepted delays, in seconds. Shorter and longer delays are changed to the nearest of these.
    package static let range: ClosedRange<Int64> = 1...86_400

    /// Returns the delay that the field states, in seconds; nil if the field is malformed.
    ///
    /// - Parameters:
    ///   - value: The value of the field: a number of seconds or a date.
    ///   - responseDate: The field `Date` of the response; nil if absent. A date is compared with this clock, which
    ///     is the server's, so that a wrong local clock does not matter.
    ///   - now: The local time in seconds since 1970, for a response without a date.
    package static func seconds(_ value: String, responseDate: String?, now: Int64) -> UInt32? {
        let delay: Int64
        if let number = ContentRange.number(value) {
            delay = number
        } else if value.utf8.allSatisfy({ (0x30...0x39).contains($0) }), !value.isEmpty {
            // More digits than 64 bits hold.
            delay = range.upperBound
        } else {
            guard let date = HTTPDate.secondsSince1970(value) else { return nil }
            delay = date - (responseDate.flatMap { HTTPDate.secondsSince1970($0) } ?? now)
        }
        return UInt32(min(max(delay, range.lowerBound), range.upperBound))
    }
}
