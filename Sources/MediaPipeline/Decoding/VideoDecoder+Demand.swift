extension VideoDecoder {
    /// Applies requirements to the packets that are decoded, and the frames that are delivered, from now on.
    mutating func apply(_ demand: DecodingDemand) {
        context.pointer.pointee.skip_loop_filter = demand.loopFiltering.discard
        importer.shownSize = demand.shownSize
    }
}
