import MediaPipeline

extension PlayerItem {
    /// What the file says of itself; empty until ready.
    public var metadata: [MetadataItem] {
        state.withLock { $0.info?.tags ?? [] }.map { MetadataItem(key: $0.key, stringValue: $0.value) }
    }

    /// What a program knows better than the file: comes before ``metadata`` where both have a key.
    public var externalMetadata: [MetadataItem] {
        get { state.withLock { $0.externalMetadata } }
        set { state.withLock { $0.externalMetadata = newValue } }
    }

    /// The item's chapters in order; empty until ready.
    public var chapters: [Chapter] {
        state.withLock { $0.info?.chapters ?? [] }.map(Chapter.init)
    }
}
