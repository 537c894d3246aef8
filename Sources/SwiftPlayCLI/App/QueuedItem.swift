import SwiftPlayKit

/// The item that the player plays next when the current item ends.
struct QueuedItem {
    /// Whether the item repeats the current file or belongs to another entry of the playlist.
    enum Kind: Equatable {
        /// A repetition of the current file.
        case repeated
        /// The playlist entry at an index.
        case entry(Int)
    }
    let item: PlayerItem
    let kind: Kind
}
