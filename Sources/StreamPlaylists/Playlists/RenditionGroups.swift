/// The identifiers of the groups of renditions that a variant can be played with (RFC 8216, section 4.3.4.2); nil for a
/// kind without a group.
package struct RenditionGroups: Sendable, Equatable {
    package let audio: String?
    package let video: String?
    package let subtitles: String?
    package let closedCaptions: String?

    package init(_ attributes: AttributeList) {
        audio = attributes["AUDIO"]
        video = attributes["VIDEO"]
        subtitles = attributes["SUBTITLES"]
        // The value NONE without quotation marks is not a group: it states that no variant has closed captions.
        closedCaptions = attributes.quotedString("CLOSED-CAPTIONS")
    }

    /// Creates the groups of a variant.
    package init(audio: String?, subtitles: String?) {
        (self.audio, self.subtitles, video, closedCaptions) = (audio, subtitles, nil, nil)
    }

    /// Returns the identifier of the group of one kind; nil if the variant has none.
    package func group(_ kind: Rendition.Kind) -> String? {
        switch kind {
        case .audio: audio
        case .video: video
        case .subtitles: subtitles
        case .closedCaptions: closedCaptions
        }
    }
}
