extension VideoDecoder {
    /// Whether the next packet may be decoded by a new decoder, if it is one of the ``DecoderEntryPoints``. This
    /// decoder searches no seek's target, and its deinterlacer does not need the pictures that follow.
    var canBeReplaced: Bool { target == nil && hasDeliveredFrame && filter == nil && !isCoverPicture }
}
