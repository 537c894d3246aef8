extension VideoDecoder {
    /// Whether a new decoder may take over at the next of the ``DecoderEntryPoints``: the last seek has delivered its
    /// frame, no deinterlacer needs the following pictures, and the track is not a cover picture.
    var canBeReplaced: Bool { seekTarget == nil && hasDeliveredFrame && filter == nil && !isCoverPicture }

    /// Returns whether the position of the decoder lies shortly before a seek's target, so that its state is kept if
    /// the packets before the target follow.
    func canContinue(to request: SeekRequest) -> Bool {
        (resumableSeekTarget.map { $0 <= request.time } ?? false) && filter == nil && !isCoverPicture
    }
}
