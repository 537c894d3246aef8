extension MediaTime {
    /// Creates a time from a duration, rounded to nanoseconds, toward zero; ``invalid`` beyond 292 years.
    public init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, sumOverflows) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        self = overflows || sumOverflows ? .invalid : MediaTime(nanoseconds: sum)
    }
}

extension Duration {
    /// Creates a duration of the length of `time`, rounded to attoseconds toward zero; nil if `time` is not numeric.
    public init?(_ time: MediaTime) {
        guard time.isNumeric else { return nil }
        let (seconds, rest) = time.value.quotientAndRemainder(dividingBy: Int64(time.timescale))
        let attoseconds = Int128(rest) * 1_000_000_000_000_000_000 / Int128(time.timescale)
        self.init(secondsComponent: seconds, attosecondsComponent: Int64(attoseconds))
    }
}
