import ArgumentParser
import SharedFrames

/// The command line options for the shape of the picture. Names and meanings are mpv's.
struct PictureOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Rotate the picture clockwise, in addition to the file's rotation: 0, 90, 180 or 270; no ignores the file.",
            valueName: "degrees|no"))
    var videoRotate = "0"

    @Option(
        help: ArgumentHelp(
            "Show the picture at this aspect ratio, such as 16:9; no for square pixels, -1 for the file's ratio.",
            valueName: "ratio|no|-1"))
    var videoAspectOverride = "-1"

    /// Checks the values; throws `ValidationError` for an invalid one.
    func validateAll() throws {
        guard PictureTransform.Rotation(parsing: videoRotate) != nil else {
            throw ValidationError(
                "--video-rotate takes 0, 90, 180 or 270 degrees, or no; other angles are not possible.")
        }
        guard PictureTransform.AspectRatio(parsing: videoAspectOverride) != nil else {
            throw ValidationError(
                "--video-aspect-override takes a ratio from 0.1 to 10, such as 16:9 or 1.85, or no or -1.")
        }
    }

    /// The rotation and the aspect ratio that the options describe. The options must be valid.
    var transform: PictureTransform {
        var transform = PictureTransform()
        transform.rotation = PictureTransform.Rotation(parsing: videoRotate) ?? transform.rotation
        transform.aspectRatio = PictureTransform.AspectRatio(parsing: videoAspectOverride) ?? transform.aspectRatio
        return transform
    }
}

extension PictureTransform.Rotation {
    /// Creates a rotation from the value of mpv's `--video-rotate`; nil for other texts and for angles that are not
    /// multiples of 90 degrees.
    init?(parsing text: String) {
        if text == "no" {
            self = .ignored
        } else {
            guard let degrees = Int(text), (0..<360).contains(degrees), degrees % 90 == 0 else { return nil }
            self = .added(quarterTurns: degrees / 90)
        }
    }

    /// The value of mpv's property `video-rotate`: degrees, or `false`.
    var propertyValue: JSONValue {
        switch self {
        case .added(let count): .int(Int64(count * 90))
        case .ignored: false
        }
    }
}

extension PictureTransform.AspectRatio {
    /// Creates an aspect ratio from the value of mpv's `--video-aspect-override`: a number, a fraction such as `16:9`
    /// or `16/9`, `no` or 0 for square samples, or -1 for the ratio that the file states; nil for other texts.
    init?(parsing text: String) {
        if text == "no" {
            self = .squareSamples
            return
        }
        let parts = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == "/" }
        let numbers = parts.compactMap { Double($0) }
        guard numbers.count == parts.count, numbers.count <= 2 else { return nil }
        switch numbers.count == 2 ? numbers[0] / numbers[1] : numbers[0] {
        case -1: self = .stated
        case 0: self = .squareSamples
        case let ratio where PictureTransform.aspectRatios.contains(ratio): self = .ratio(ratio)
        default: return nil
        }
    }

    /// The value of mpv's property `video-aspect-override`: the ratio, 0 or -1.
    var propertyValue: JSONValue {
        switch self {
        case .stated: -1.0
        case .squareSamples: 0.0
        case .ratio(let ratio): .double(ratio)
        }
    }
}
