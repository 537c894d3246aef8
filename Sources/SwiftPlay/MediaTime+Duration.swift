extension MediaTime {
    /// Creates a time from a duration, rounded to nanoseconds, toward zero; ``invalid`` beyond 292 years.
    public init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (wholeNanoseconds, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, sumOverflows) = wholeNanoseconds.addingReportingOverflow(attoseconds / 1_000_000_000)
        self = overflows || sumOverflows ? .invalid : MediaTime(nanoseconds: sum)
    }
}

extension Duration {
    /// Creates a duration of the length of `time`, rounded to attoseconds toward zero; nil if `time` is not numeric.
    public init?(_ time: MediaTime) {
        guard time.isNumeric else { return nil }
        let (seconds, remainder) = time.value.quotientAndRemainder(dividingBy: Int64(time.timescale))
        let attoseconds = Int128(remainder) * 1_000_000_000_000_000_000 / Int128(time.timescale)
        self.init(secondsComponent: seconds, attosecondsComponent: Int64(attoseconds))
    }
}
