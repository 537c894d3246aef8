import MediaPipeline
import SharedFrames
import SwiftPlayKit

/// The properties of the video track and of the decoded picture.
extension PlayerProperty {
    static let video: [PlayerProperty] = [
        PlayerProperty("width", .integer()) { .integer($0.item?.codedSize?.width) },
        PlayerProperty("height", .integer()) { .integer($0.item?.codedSize?.height) },
        PlayerProperty("dwidth", .integer(), changes: .withPlayback) { .integer(displaySize($0)?.width) },
        PlayerProperty("dheight", .integer(), changes: .withPlayback) { .integer(displaySize($0)?.height) },
        PlayerProperty("video-format", .text) { .text($0.item?.videoCodec) },
        PlayerProperty("video-codec", .text) { context in .text(playingTrack(.video, context)?.codecText) },
        PlayerProperty("container-fps", .number()) { frameRate($0) },
        PlayerProperty("estimated-vf-fps", .number()) { frameRate($0) },
        PlayerProperty("video-bitrate", .bytes) { bitRate(.video, $0) },
        PlayerProperty("packet-video-bitrate", .bytes) { bitRate(.video, $0).map { kilobits($0) } },
        PlayerProperty("video-params", .object, changes: .withPlayback) { pictureParameters($0, guessed: true) },
        PlayerProperty("video-out-params", .object, changes: .withPlayback) { pictureParameters($0, guessed: true) },
        PlayerProperty("video-dec-params", .object, changes: .withPlayback) { pictureParameters($0, guessed: false) },
        PlayerProperty("deinterlace", .choice(["no", "yes", "auto"]), isOption: true) {
            .string($0.player.deinterlacing.name)
        } write: { context, value throws(IPCError) in
            if case .string(let name) = value {
                guard let mode = Player.Deinterlacing(name: name) else { throw .propertyFormat }
                context.player.deinterlacing = mode
            } else {
                context.player.deinterlacing = try value.propertyFlag() ? .always : .never
            }
        },
        PlayerProperty("hwdec-current", .text) { $0.openItem?.hasVideo == true ? "no" : nil },
        PlayerProperty("hwdec-interop", .text) { _ in nil },
        PlayerProperty("video-frame-info", .object) { _ in nil },
        PlayerProperty("vo-frame-id", .integer(), changes: .withPlayback) {
            .int(Int64(clamping: $0.player.statistics.lastFrameID))
        },
    ]

    /// Returns the playing track of a kind; nil if there is none.
    static func playingTrack(_ kind: MediaTrack.Kind, _ context: PropertyContext) -> MediaTrack? {
        guard let tracks = context.item?.trackState, let id = tracks.playingTracks[kind] else { return nil }
        return tracks.tracks.first { $0.id == id }
    }

    /// Returns the bit rate that the file states for the playing track of a kind, in bits per second.
    static func bitRate(_ kind: MediaTrack.Kind, _ context: PropertyContext) -> JSONValue? {
        guard let track = playingTrack(kind, context), track.bitRate > 0 else { return nil }
        return .int(track.bitRate)
    }

    /// Converts bits per second to kilobits per second.
    static func kilobits(_ bitRate: JSONValue) -> JSONValue {
        if case .int(let bits) = bitRate { .int(bits / 1000) } else { bitRate }
    }

    /// Returns the average frame rate that the file states.
    private static func frameRate(_ context: PropertyContext) -> JSONValue? {
        guard let rate = context.item?.nominalFrameRate, rate > 0 else { return nil }
        return .double(rate)
    }

    /// Returns the size of the shown picture in square pixels, cropped and rotated.
    private static func displaySize(_ context: PropertyContext) -> PixelSize? {
        guard let size = context.openItem?.presentationSize, size.width > 0, size.height > 0 else { return nil }
        return PixelSize(width: size.width, height: size.height)
    }

    /// Returns the parameters of the visible frame.
    ///
    /// - Parameter guessed: Whether values that the file does not state are replaced by the values with which the
    ///   picture is shown; otherwise they are `auto`.
    private static func pictureParameters(_ context: PropertyContext, guessed: Bool) -> JSONValue? {
        guard context.openItem?.hasVideo == true, let format = context.target.layer?.router.currentFrame?.format else {
            return nil
        }
        let size = format.codedSize, attributes = format.attributes
        var shownAttributes = attributes
        shownAttributes.orientation = .upright
        let displaySize = shownAttributes.displaySize(of: size)
        let colours = ColourNames(attributes, height: size.height, isGuessed: guessed)
        return .object([
            "pixelformat": .string(format.codedPixelFormat.name), "w": .int(Int64(size.width)),
            "h": .int(Int64(size.height)), "dw": .int(Int64(displaySize.width)), "dh": .int(Int64(displaySize.height)),
            "aspect": .double(Double(displaySize.width) / Double(max(1, displaySize.height))),
            "par": .double(
                Double(attributes.sampleAspectNumerator) / Double(max(1, attributes.sampleAspectDenominator))),
            "colormatrix": .string(colours.matrix), "colorlevels": .string(colours.levels),
            "primaries": .string(colours.primaries), "gamma": .string(colours.transfer),
            "rotate": .int(Int64(attributes.orientation.clockwiseDegrees)),
        ])
    }
}

/// mpv's names of the colours of a picture.
struct ColourNames: Equatable {
    let matrix, levels, primaries, transfer: String

    /// Creates the names.
    ///
    /// - Parameters:
    ///   - attributes: The colours that the file states.
    ///   - height: The height of the picture in samples; pictures of up to 576 rows usually have the colours of BT.601.
    ///   - isGuessed: Whether unspecified values are replaced by the usual ones; otherwise they are `auto`.
    init(_ attributes: PictureAttributes, height: Int, isGuessed: Bool) {
        let usualMatrix = height <= Self.highestStandardDefinition ? "bt.601" : "bt.709"
        matrix = Self.matrices[attributes.matrix] ?? (isGuessed ? usualMatrix : "auto")
        levels = attributes.isFullRange ? "full" : "limited"
        primaries = Self.primaryNames[attributes.primaries] ?? (isGuessed ? "bt.709" : "auto")
        transfer = Self.transfers[attributes.transfer] ?? (isGuessed ? "bt.1886" : "auto")
    }

    /// The number of rows of standard-definition television with 625 lines.
    private static let highestStandardDefinition = 576

    private static let matrices: [MatrixCoefficients: String] = [
        .rgb: "rgb", .bt709: "bt.709", .fcc: "bt.601", .bt470BG: "bt.601", .smpte170M: "bt.601",
        .smpte240M: "smpte-240m", .bt2020: "bt.2020-ncl", .bt2020ConstantLuminance: "bt.2020-cl",
    ]
    private static let primaryNames: [ColourPrimaries: String] = [.bt709: "bt.709", .bt2020: "bt.2020"]
    private static let transfers: [TransferCharacteristics: String] = [
        .bt709: "bt.1886", .bt2020: "bt.1886", .pq: "pq", .hlg: "hlg",
    ]
}

extension PictureOrientation {
    /// The clockwise rotation of the picture in degrees; mirroring is not counted.
    var clockwiseDegrees: Int {
        switch (transposes, mirrorsX, mirrorsY) {
        case (false, true, true): 180
        case (true, true, _): 90
        case (true, false, _): 270
        default: 0
        }
    }
}

extension MediaTrack {
    /// The codec's name with its description, such as `h264 (H.264 / AVC)`, as in mpv's `video-codec`.
    var codecText: String { codecDescription.isEmpty ? codec : "\(codec) (\(codecDescription))" }
}
