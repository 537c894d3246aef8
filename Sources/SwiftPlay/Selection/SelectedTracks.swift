import MediaPipeline

/// Which tracks play, by their names within the source; nil: none of its kind.
typealias SelectedTracks = PerTrackKind<Int?>

extension SelectedTracks {
    static var none: Self { Self(video: nil, audio: nil, subtitle: nil) }
}
