import CFFmpeg
import SharedFrames

/// The pictures of which a decoder smooths the edges of the coded blocks: the loop filter of H.264, HEVC, VP8 and VP9.
/// It takes up to a fifth of the decoding time, and where a picture is shown much smaller, its effect is not visible.
package enum LoopFiltering: Int, Sendable, Comparable {
    /// No picture. Errors add up until the next keyframe: 40 to 60 dB below the picture at a sixth of its size, far
    /// below those of a picture that is drawn with characters.
    case none
    /// The pictures to which other pictures refer. The others, about a third to a half, are not smoothed; nothing adds
    /// up, and at half the size the difference is 70 dB and more below the picture.
    case referencesOnly
    /// All pictures, as the standards require.
    case all

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Returns the filtering that a picture of `size` needs in a view.
    ///
    /// - Parameter isDrawnWithCharacters: Whether the view is a terminal that draws the picture with characters.
    package static func needed(
        for size: PixelSize, in view: VideoViewGeometry, isDrawnWithCharacters: Bool = false
    ) -> LoopFiltering {
        guard !size.isEmpty else { return .all }
        if isDrawnWithCharacters { return .none }
        let shownSize = SizeRule().fittedSize(of: size, in: view)
        let isHalved = shownSize.width * 2 <= Double(size.width) && shownSize.height * 2 <= Double(size.height)
        return isHalved ? .referencesOnly : .all
    }

    /// FFmpeg's value for `skip_loop_filter`.
    var discard: AVDiscard {
        switch self {
        case .none: AVDISCARD_ALL
        case .referencesOnly: AVDISCARD_NONREF
        case .all: AVDISCARD_DEFAULT
        }
    }
}
