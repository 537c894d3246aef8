extension Player {
    /// The preference among the variants of streams, which applies to items without a chosen variant.
    package var streamPreference: StreamPreference {
        get { core.snapshot.withLock { $0.settings.streamPreference } ?? core.configuration.streamPreference }
        set { change { $0.settings.streamPreference = newValue } }
    }

    /// The variants of the current item among which the user can choose.
    package var qualityChoices: QualityChoices {
        guard let item = currentItem, let status = item.streamStatus else {
            return QualityChoices([], selectedIndex: nil)
        }
        return QualityChoices(
            status.variants, selectedIndex: item.preferredVariantIndex, streamPreference, status.currentVariantIndex)
    }

    /// Plays a variant of the current item, or makes the choice automatic.
    ///
    /// - Parameter index: The number of the variant; nil for an automatic choice.
    package func chooseVariant(_ index: Int?) {
        if index == nil { streamPreference.quality = .automatic }
        currentItem?.chooseVariant(index)
    }

    /// Plays the variant that is `step` positions after the selected variant. The order is: the automatic choice, the
    /// best variant, and the other variants down to the lowest; then the automatic choice follows again.
    package func cycleVariant(by step: Int) {
        let choices = qualityChoices
        if !choices.isEmpty { chooseVariant(choices.choice(after: step)) }
    }
}
