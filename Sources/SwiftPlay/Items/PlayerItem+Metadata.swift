import MediaPipeline

extension PlayerItem {
    /// The tags of the container; empty until the item is ready.
    public var metadata: [MetadataItem] {
        state.withLock { $0.info?.tags ?? [] }.map { MetadataItem(key: $0.key, stringValue: $0.value) }
    }

    /// Tags that the program sets (AVPlayerItem.externalMetadata). They take precedence over tags of ``metadata`` with
    /// the same key.
    public var externalMetadata: [MetadataItem] {
        get { state.withLock { $0.externalMetadata } }
        set { state.withLock { $0.externalMetadata = newValue } }
    }

    /// The cover in the container; nil if there is none, and until the item is ready.
    var artwork: Artwork? { state.withLock { $0.info?.artwork } }

    /// The chapters, in order; empty until the item is ready.
    public var chapters: [Chapter] {
        state.withLock { $0.info?.chapters ?? [] }.map(Chapter.init)
    }
}
