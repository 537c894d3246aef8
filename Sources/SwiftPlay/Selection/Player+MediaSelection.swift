import MediaPipeline
import SystemCalls

extension Player {
    /// Do the criteria choose in groups where nobody has chosen by hand? True until set otherwise.
    public var appliesMediaSelectionCriteriaAutomatically: Bool {
        get { core.snapshot.withLock { $0.settings.selection.appliesCriteria } }
        set {
            core.snapshot.withLock { $0.settings.selection.appliesCriteria = newValue }
            core.post(.tracksChanged)
        }
    }

    /// Sets what is preferred in `.audible` or `.legible`; nil: nothing. Holds for the current item and those that
    /// follow.
    public func setMediaSelectionCriteria(
        _ criteria: PlayerMediaSelectionCriteria?, forMediaCharacteristic characteristic: MediaCharacteristic
    ) {
        core.snapshot.withLock { $0.settings.selection.criteria[characteristic] = criteria }
        core.post(.tracksChanged)
    }

    /// Returns what is preferred in a group; nil if nothing was set.
    public func mediaSelectionCriteria(forMediaCharacteristic characteristic: MediaCharacteristic)
        -> PlayerMediaSelectionCriteria?
    {
        core.snapshot.withLock { $0.settings.selection.criteria[characteristic] }
    }

    // MARK: subtitles

    /// How much later than they say subtitles are shown; may be negative.
    public var subtitleDelay: MediaTime {
        get { MediaTime(nanoseconds: core.snapshot.withLock { $0.settings.selection.subtitleStyle.delay }) }
        set { changeSubtitles { $0.delay = newValue.nanoseconds ?? 0 } }
    }

    /// Size of subtitles; 1 is as designed, 0.1 to 10.
    public var subtitleScale: Double {
        get { core.snapshot.withLock { $0.settings.selection.subtitleStyle.scale } }
        set { changeSubtitles { $0.scale = newValue.isFinite ? min(max(newValue, 0.1), 10) : 1 } }
    }

    /// False hides the chosen subtitles.
    public var showsSubtitles: Bool {
        get { core.snapshot.withLock { $0.settings.selection.subtitleStyle.isVisible } }
        set { changeSubtitles { $0.isVisible = newValue } }
    }

    /// The words of the subtitles that are to be read now, without what says how they look; nil where no subtitles are
    /// chosen.
    public var subtitleText: String? {
        guard let item = currentItem, let presenter = item.selection.withLock({ $0.presenter }) else { return nil }
        return presenter.text(at: currentTime().nanoseconds ?? 0)
    }

    private func changeSubtitles(_ change: (inout SubtitlePresenter.Style) -> Void) {
        core.snapshot.withLock { change(&$0.settings.selection.subtitleStyle) }
        core.post(.tracksChanged)
    }
}
