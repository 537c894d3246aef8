/// A rendition: one alternative of the audio, the video or the subtitles (RFC 8216, section 4.3.4.1).
package struct Rendition: Sendable, Equatable {
    /// The media type of a rendition (`TYPE`).
    package enum Kind: Sendable, Hashable, CaseIterable {
        case audio
        case video
        case subtitles
        case closedCaptions

        /// Reads the value of the attribute `TYPE`.
        package init?(_ text: String) {
            switch text {
            case "AUDIO": self = .audio
            case "VIDEO": self = .video
            case "SUBTITLES": self = .subtitles
            case "CLOSED-CAPTIONS": self = .closedCaptions
            default: return nil
            }
        }
    }

    /// The Boolean attributes of a rendition: `DEFAULT`, `AUTOSELECT` and `FORCED`.
    package struct Flags: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// The rendition is played unless the user chooses another.
        package static let isDefault = Flags(rawValue: 1)
        /// A player may choose the rendition because of the language of the system.
        package static let isAutoselect = Flags(rawValue: 2)
        /// Subtitles that belong to the film, such as the translation of a sign.
        package static let isForced = Flags(rawValue: 4)
    }

    /// The media type of the rendition.
    package let kind: Kind
    /// The group that variants refer to (`GROUP-ID`).
    package let groupID: String
    /// The name to show to the user.
    package let name: String
    /// The address of the media playlist; nil if the variant's own playlist contains the rendition.
    package let address: PlaylistAddress?
    /// The language tag (RFC 5646); nil if not stated.
    package let language: String?
    /// Another language of the rendition, such as the written form of a spoken language.
    package let associatedLanguage: String?
    /// The attributes `DEFAULT`, `AUTOSELECT` and `FORCED` that apply to the rendition.
    package let flags: Flags
    /// The channel of the closed captions within the video, such as `CC1`.
    package let instreamID: String?
    /// The uniform type identifiers of the rendition's characteristics.
    package let characteristics: [String]
    /// The number of audio channels and further parameters, such as `6`; nil if not stated.
    package let channels: String?
    /// The number of the tag's line in the playlist, counted from 1.
    package let line: Int

    /// Reads the tag `EXT-X-MEDIA`.
    ///
    /// - Throws: `missingAttribute` or `invalidValue`, or an error of the address.
    package init(_ attributes: AttributeList, in base: PlaylistBase) throws(PlaylistError) {
        let tag = attributes.tag
        guard let type = attributes["TYPE"] else { throw tag.missingAttributeError("TYPE") }
        guard let kind = Kind(type) else { throw tag.invalidValueError(type) }
        guard let groupID = attributes["GROUP-ID"] else { throw tag.missingAttributeError("GROUP-ID") }
        guard let name = attributes["NAME"] else { throw tag.missingAttributeError("NAME") }
        let address = kind == .closedCaptions ? nil : try attributes.address("URI", in: base)
        if kind == .subtitles, address == nil { throw tag.missingAttributeError("URI") }
        var flags: Flags = []
        // A default rendition may always be chosen automatically.
        if attributes.isSetToYes("DEFAULT") { flags = [.isDefault, .isAutoselect] }
        if attributes.isSetToYes("AUTOSELECT") { flags.insert(.isAutoselect) }
        if kind == .subtitles, attributes.isSetToYes("FORCED") { flags.insert(.isForced) }
        self.kind = kind
        self.groupID = groupID
        self.name = name
        self.address = address
        self.flags = flags
        language = attributes["LANGUAGE"]
        associatedLanguage = attributes["ASSOC-LANGUAGE"]
        instreamID = attributes["INSTREAM-ID"]
        characteristics = attributes.list("CHARACTERISTICS")
        channels = attributes["CHANNELS"]
        line = tag.line
    }

    /// Creates a rendition that was not read from HLS.
    package init(
        _ kind: Kind, group: String, name: String, address: PlaylistAddress?, language: String?, flags: Flags,
        characteristics: [String] = [], channels: String? = nil, line: Int
    ) {
        (self.kind, groupID, self.name, self.address, self.language) = (kind, group, name, address, language)
        (self.flags, self.characteristics, self.channels, self.line) = (flags, characteristics, channels, line)
        (associatedLanguage, instreamID) = (nil, nil)
    }

    /// Whether the rendition is played unless the user chooses another.
    package var isDefault: Bool { flags.contains(.isDefault) }
    /// Whether a player may choose the rendition because of the language of the system.
    package var isAutoselect: Bool { flags.contains(.isAutoselect) }
    /// Whether these are subtitles that belong to the film, such as the translation of a sign.
    package var isForced: Bool { flags.contains(.isForced) }
}
