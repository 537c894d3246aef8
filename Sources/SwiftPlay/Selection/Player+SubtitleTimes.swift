import MediaPipeline
import Subtitles

/// The text and the times of the visible subtitles, for the programs in this package.
extension Player {
    /// The text of the current subtitles with the formatting tags of ASS; nil if no subtitles are selected.
    package var taggedSubtitleText: String? {
        subtitlePresenter(.primary)?.taggedText(at: currentTime().nanoseconds ?? 0)
    }

    /// The times between which the current subtitles are visible; nil if none are visible. The end is nil if it is not
    /// known yet.
    package var subtitleTimes: (start: MediaTime, end: MediaTime?)? { subtitleTimes(.primary) }

    /// Returns the time at which the subtitle `count` subtitles after the current one starts, or before it if `count`
    /// is negative; nil if there is no such subtitle, or if it has not been read yet.
    package func subtitleStart(after count: Int) -> MediaTime? {
        subtitlePresenter(.primary)?.startTime(of: count, from: currentTime().nanoseconds ?? 0).map(
            MediaTime.init(nanoseconds:))
    }

    /// The version of libass, which draws the subtitles: `0x01700000` is 0.17.0.
    package static var subtitleLibraryVersion: Int { SubtitleRenderer.libraryVersion }

    /// The text of the current secondary subtitles without markup; nil if none are selected.
    package var secondarySubtitleText: String? {
        subtitlePresenter(.secondary)?.text(at: currentTime().nanoseconds ?? 0)
    }

    /// The times between which the current secondary subtitles are visible: see ``subtitleTimes``.
    package var secondarySubtitleTimes: (start: MediaTime, end: MediaTime?)? { subtitleTimes(.secondary) }

    private func subtitleTimes(_ layer: SubtitleLayer) -> (start: MediaTime, end: MediaTime?)? {
        subtitlePresenter(layer)?.visibleTimes(at: currentTime().nanoseconds ?? 0).map { times in
            (MediaTime(nanoseconds: times.start), times.end.map(MediaTime.init(nanoseconds:)))
        }
    }

    private func subtitlePresenter(_ layer: SubtitleLayer) -> SubtitlePresenter? {
        currentItem?.selection.withLock { $0.subtitles }?.presenter(layer)
    }
}
