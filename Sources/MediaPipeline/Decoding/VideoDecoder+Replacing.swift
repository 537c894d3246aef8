extension VideoDecoder {
    /// Whether a new decoder may take over at the next of the ``DecoderEntryPoints``: the last seek has delivered its
    /// frame, no deinterlacer needs the following pictures, and the track is not a cover picture.
    var canBeReplaced: Bool { target == nil && hasDeliveredFrame && filter == nil && !isCoverPicture }
}
