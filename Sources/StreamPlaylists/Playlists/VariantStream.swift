/// A variant stream or an I-frame stream of a multivariant playlist (RFC 8216, sections 4.3.4.2 and 4.3.4.3).
package struct VariantStream: Sendable, Equatable {
    /// The address of the media playlist.
    package let address: PlaylistAddress
    /// The peak bit rate in bits per second, including the renditions; 0 if the playlist does not state it.
    package let bandwidth: Int
    /// The average bit rate in bits per second; nil if not stated.
    package let averageBandwidth: Int?
    /// The codec strings (RFC 6381), such as `avc1.64001f`; empty if not stated.
    package let codecs: [String]
    /// The size, frame rate and dynamic range of the pictures.
    package let video: VideoAttributes
    /// The groups of renditions that the variant can be played with.
    package let groups: RenditionGroups
    /// The author's rating of the quality (`SCORE`), at least 0; nil if not stated.
    package let score: Double?
    /// A name to show to the user (`NAME`, of an early draft of RFC 8216); nil if not stated.
    package let name: String?
    /// The identifier of the content-steering pathway (`PATHWAY-ID`); nil if not stated.
    package let pathwayID: String?
    /// The number of the tag's line in the playlist, counted from 1.
    package let line: Int

    /// Creates a stream from its tag.
    package init(_ attributes: AttributeList, address: PlaylistAddress) {
        self.address = address
        averageBandwidth = attributes.integer("AVERAGE-BANDWIDTH")
        bandwidth = attributes.integer("BANDWIDTH") ?? averageBandwidth ?? 0
        codecs = attributes.list("CODECS")
        video = VideoAttributes(attributes)
        groups = RenditionGroups(attributes)
        score = attributes.decimal("SCORE")
        name = attributes["NAME"]
        pathwayID = attributes["PATHWAY-ID"]
        line = attributes.tag.line
    }

    /// Creates a stream that was not read from HLS.
    package init(
        address: PlaylistAddress, bandwidth: Int, codecs: [String], video: VideoAttributes, groups: RenditionGroups,
        line: Int
    ) {
        (self.address, self.bandwidth, self.codecs, self.video) = (address, bandwidth, codecs, video)
        (self.groups, self.line) = (groups, line)
        (averageBandwidth, score, name, pathwayID) = (nil, nil, nil, nil)
    }
}
