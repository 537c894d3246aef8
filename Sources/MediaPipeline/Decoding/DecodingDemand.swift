/// The player's requirements for the decoding of video. They may change during playback.
package struct DecodingDemand: Sendable, Equatable {
    /// The pictures that are smoothed.
    package var loopFiltering = LoopFiltering.all
    /// Whether one thread decodes if it is fast enough. False while pictures are decoded faster than they are played.
    package var savesThreads = false

    package init() {}
}
