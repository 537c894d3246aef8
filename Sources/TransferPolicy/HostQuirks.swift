/// The deviations from the rules of HTTP that were observed at a host, and that requests to this host avoid.
package struct HostQuirks: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The host sends the whole content if a request has the field `If-Range`, even if the validator matches.
    package static let ignoresMatchingIfRange = HostQuirks(rawValue: 1)
    /// The host never sends a part of its content.
    package static let hasNoRanges = HostQuirks(rawValue: 2)
    /// The host has sent wrong parts of its content.
    package static let sendsWrongRanges = HostQuirks(rawValue: 4)

    /// All quirks that this build knows.
    package static let known: HostQuirks = [.ignoresMatchingIfRange, .hasNoRanges, .sendsWrongRanges]
}
