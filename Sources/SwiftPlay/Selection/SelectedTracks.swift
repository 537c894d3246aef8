import MediaPipeline

/// The numbers of the tracks that play, by kind; nil for none.
typealias SelectedTracks = PerTrackKind<Int?>

extension SelectedTracks {
    /// The selection without any track.
    static var none: Self { Self(video: nil, audio: nil, subtitle: nil) }
}
