/// The attributes of a variant's pictures in a multivariant playlist (RFC 8216, section 4.3.4.2).
package struct VideoAttributes: Sendable, Equatable {
    /// A size in pixels, as written; the pictures may be rotated.
    package struct Resolution: Sendable, Equatable {
        package let width: Int
        package let height: Int
        package init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
    }

    /// The transfer characteristics (draft-pantos-hls-rfc8216bis, section 4.4.6.2).
    package enum DynamicRange: Sendable, Equatable {
        /// Standard dynamic range.
        case sdr
        /// High dynamic range with hybrid log-gamma.
        case hlg
        /// High dynamic range with the perceptual quantizer.
        case pq
        /// A value that the draft does not define.
        case other(String)
    }

    /// The copy protection that an output must have.
    package enum HDCPLevel: Sendable, Equatable {
        /// No protection is needed.
        case none
        /// Any version of HDCP is sufficient.
        case type0
        /// At least HDCP 2.2 is needed.
        case type1
        /// A protection level that the draft does not define.
        case other(String)
    }

    /// The size of the pictures; nil if not stated.
    package let resolution: Resolution?
    /// The largest number of frames per second; nil if not stated.
    package let frameRate: Double?
    /// The transfer characteristics; nil if not stated, which means SDR unless the codecs state another range.
    package let dynamicRange: DynamicRange?
    /// The required copy protection of the output; nil if not stated, which means that no protection is needed.
    package let hdcpLevel: HDCPLevel?

    package init(_ attributes: AttributeList) {
        resolution = attributes["RESOLUTION"].flatMap(Self.resolution)
        frameRate = attributes.decimal("FRAME-RATE")
        dynamicRange = attributes["VIDEO-RANGE"].map { text in
            switch text {
            case "SDR": .sdr
            case "HLG": .hlg
            case "PQ": .pq
            default: .other(text)
            }
        }
        hdcpLevel = attributes["HDCP-LEVEL"].map { text in
            switch text {
            case "NONE": .none
            case "TYPE-0": .type0
            case "TYPE-1": .type1
            default: .other(text)
            }
        }
    }

    /// Creates attributes that were not read from HLS.
    package init(resolution: Resolution?, frameRate: Double?, dynamicRange: DynamicRange?) {
        (self.resolution, self.frameRate, self.dynamicRange) = (resolution, frameRate, dynamicRange)
        hdcpLevel = nil
    }

    /// Reads `1280x720`; nil for a malformed or implausible size.
    package static func resolution(_ text: String) -> Resolution? {
        let dimensions = text.utf8.split(omittingEmptySubsequences: false) { $0 | 0x20 == UInt8(ascii: "x") }
        guard dimensions.count == 2, let width = DecimalText.integer(dimensions[0]),
            let height = DecimalText.integer(dimensions[1]),
            (1...100_000).contains(width), (1...100_000).contains(height)
        else { return nil }
        return Resolution(width: width, height: height)
    }
}
