/// The features that the server of a live playlist supports (draft-pantos-hls-rfc8216bis, section 4.4.3.8).
package struct ServerControl: Sendable, Equatable {
    /// The smallest distance from the end of the playlist at which to play, in nanoseconds; nil if not stated.
    package let holdBack: Int64?
    /// The smallest distance from the end for players that load partial segments, in nanoseconds; nil if not stated.
    package let partHoldBack: Int64?
    /// The distance from the end of the playlist, in nanoseconds, beyond which a delta update omits segments; nil if
    /// the server sends no delta updates.
    package let skipUntil: Int64?
    /// Whether a delta update may omit date ranges too.
    package let canSkipDateRanges: Bool
    /// Whether the server can delay its response until a segment exists.
    package let canBlockReload: Bool

    package init(_ attributes: AttributeList) {
        holdBack = attributes.nanoseconds("HOLD-BACK")
        partHoldBack = attributes.nanoseconds("PART-HOLD-BACK")
        skipUntil = attributes.nanoseconds("CAN-SKIP-UNTIL")
        canSkipDateRanges = attributes.isSetToYes("CAN-SKIP-DATERANGES")
        canBlockReload = attributes.isSetToYes("CAN-BLOCK-RELOAD")
    }

    /// Creates server features that state only the hold-back: the smallest distance from the playlist's end at which to
    /// play, in nanoseconds; nil if not stated.
    package init(holdBack: Int64?) {
        self.holdBack = holdBack
        (partHoldBack, skipUntil, canSkipDateRanges, canBlockReload) = (nil, nil, false, false)
    }
}
