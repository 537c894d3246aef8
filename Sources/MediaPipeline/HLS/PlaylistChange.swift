/// The change that a reload makes to a ``SegmentWindow``.
package enum PlaylistChange: Sendable, Equatable {
    /// No segment was added or removed; the end tag may have been added.
    case unchanged
    /// Segments were added at the end or removed at the start.
    case advanced(added: Int, removed: Int)
    /// The reloaded playlist has no segment in common with the window and continues after it. `missing` is
    /// the number of segments between them, which were never loaded.
    case jumped(missing: Int)
    /// The reloaded playlist ends before the window does, by the stated number of segments; the window is unchanged. A
    /// cache may serve an old playlist once.
    case wentBackwards(by: Int)
    /// All segments of the reloaded playlist precede the window, which is unchanged. The server may have restarted: see
    /// ``SegmentWindow/restart(with:)``.
    case reset
}
