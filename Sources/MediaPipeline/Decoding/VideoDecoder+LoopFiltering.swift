extension VideoDecoder {
    /// Sets the pictures to smooth, among those decoded from now on.
    func setLoopFiltering(_ filtering: LoopFiltering) {
        context.pointer.pointee.skip_loop_filter = filtering.discard
    }
}
