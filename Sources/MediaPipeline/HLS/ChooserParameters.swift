/// The rules of ``VariantChooser`` with their constants.
package struct ChooserParameters: Sendable, Equatable {
    /// The rule that chooses the variant of the first segments.
    package var start = StartRule()
    /// The rule that chooses the variant during steady playback.
    package var lookAhead = LookAheadRule()
    /// The rule that excludes variants larger than the view.
    package var size = SizeRule()
    /// The rule that cancels a download that would arrive too late.
    package var abandon = AbandonRule()
    /// The rule that replaces buffered segments after the view has grown.
    package var replacement = ReplacementRule()

    package init() {}
}
