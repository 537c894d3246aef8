import SharedFrames

/// The player's requirements for the decoding of video. They may change during playback.
package struct DecodingDemand: Sendable, Equatable {
    /// The pictures in which the decoder smooths the edges of coded blocks.
    package var loopFiltering = LoopFiltering.all
    /// Whether one thread decodes if it is fast enough. False while pictures are decoded faster than they are played.
    package var savesThreads = false
    /// The size in pixels at which the upright picture is shown, if it is reduced to nearly that size after decoding;
    /// nil to keep all samples. Only the decoder then needs memory for whole pictures.
    package var shownSize: PixelSize?

    package init() {}
}
