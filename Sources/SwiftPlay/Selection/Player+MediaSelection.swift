import MediaPipeline
import SystemCalls

extension Player {
    /// Whether the criteria select the options of groups in which the program has not selected an option; true by
    /// default (AVPlayer.appliesMediaSelectionCriteriaAutomatically).
    public var appliesMediaSelectionCriteriaAutomatically: Bool {
        get {
            observed(\.appliesMediaSelectionCriteriaAutomatically).withLock { $0.settings.selection.appliesCriteria }
        }
        set {
            change(.tracksChanged) { $0.settings.selection.appliesCriteria = newValue }
        }
    }

    /// Sets the criteria for a group of the current item and of later items
    /// (AVPlayer.setMediaSelectionCriteria(_:forMediaCharacteristic:)).
    ///
    /// - Parameters:
    ///   - criteria: The criteria; nil for none.
    ///   - characteristic: The group: `.audible` or `.legible`.
    public func setMediaSelectionCriteria(
        _ criteria: PlayerMediaSelectionCriteria?, forMediaCharacteristic characteristic: MediaCharacteristic
    ) {
        core.snapshot.withLock { $0.settings.selection.criteria[characteristic] = criteria }
        core.post(.tracksChanged)
    }

    /// Returns the criteria for a group (AVPlayer.mediaSelectionCriteria(forMediaCharacteristic:)); nil if there are
    /// none.
    ///
    /// - Parameter characteristic: The group: `.audible` or `.legible`.
    public func mediaSelectionCriteria(forMediaCharacteristic characteristic: MediaCharacteristic)
        -> PlayerMediaSelectionCriteria?
    {
        core.snapshot.withLock { $0.settings.selection.criteria[characteristic] }
    }

    // MARK: Subtitles

    /// The delay of subtitles; negative if they are shown earlier. A delay that is not numeric becomes zero.
    public var subtitleDelay: MediaTime {
        get { MediaTime(nanoseconds: subtitleStyle(\.subtitleDelay).delay) }
        set { changeSubtitles { $0.delay = newValue.nanoseconds ?? 0 } }
    }

    /// The scale of subtitles, clamped to 0.1…10; 1, the default, is their original size. NaN and infinity become 1.
    public var subtitleScale: Double {
        get { subtitleStyle(\.subtitleScale).scale }
        set { changeSubtitles { $0.scale = newValue.isFinite ? min(max(newValue, 0.1), 10) : 1 } }
    }

    /// The vertical position of text subtitles in percent, clamped to 0…150; 100, the default, is the position of the
    /// design, and smaller values move the text up. Text with a position of its own stays. NaN and infinity become 100.
    public var subtitlePosition: Double {
        get { subtitleStyle(\.subtitlePosition).position }
        set { changeSubtitles { $0.position = newValue.isFinite ? min(max(newValue, 0), 150) : 100 } }
    }

    /// The scale of text subtitles without a style of their own, such as SubRip, clamped to 0.01…100; 1 by default.
    /// ``subtitleScale`` applies in addition. NaN and infinity become 1.
    public var subtitleTextScale: Double {
        get { subtitleStyle(\.subtitleTextScale).textScale }
        set { changeSubtitles { $0.textScale = newValue.isFinite ? min(max(newValue, 0.01), 100) : 1 } }
    }

    /// Whether selected subtitles are shown; true by default.
    public var showsSubtitles: Bool {
        get { subtitleStyle(\.showsSubtitles).isVisible }
        set { changeSubtitles { $0.isVisible = newValue } }
    }

    /// Whether selected secondary subtitles are shown, if ``showsSubtitles`` is true; true by default.
    public var showsSecondarySubtitles: Bool {
        get { subtitleStyle(\.showsSecondarySubtitles).showsSecondary }
        set { changeSubtitles { $0.showsSecondary = newValue } }
    }

    /// The text of the current subtitles without markup; nil if no subtitles are selected.
    public var subtitleText: String? {
        currentItem?.selection.withLock { $0.subtitles }?.presenter(.primary)?.text(at: currentTime().nanoseconds ?? 0)
    }

    /// Changes the appearance or timing of subtitles, and has the player's thread apply it.
    private func changeSubtitles(_ change: (inout SubtitlePresenter.Style) -> Void) {
        self.change(.tracksChanged) { change(&$0.settings.selection.subtitleStyle) }
    }

    /// Returns the appearance and timing of subtitles, after registering that the running `withObservationTracking`
    /// reads `property`.
    private func subtitleStyle<Value>(_ property: KeyPath<Player, Value>) -> SubtitlePresenter.Style {
        observed(property).withLock { $0.settings.selection.subtitleStyle }
    }
}
