import ArgumentParser
import MediaPipeline

/// The command line options for screenshots. Names and meanings are mpv's.
struct ScreenshotOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Format of screenshots: png or jpg.", valueName: "png|jpg"))
    var screenshotFormat = "png"

    @Option(
        help: ArgumentHelp(
            "Name of screenshots: %n number, %F file name, %p time; see swiftplay(1).",
            valueName: "template"))
    var screenshotTemplate = "swiftplay-shot%n"

    @Option(help: ArgumentHelp("Folder of screenshots. Default: the working directory.", valueName: "folder"))
    var screenshotDirectory: String?

    /// Checks the values; throws `ValidationError` for an invalid one.
    func validateAll() throws {
        guard StillEncoder.Format(name: screenshotFormat) != nil else {
            throw ValidationError("--screenshot-format takes png or jpg.")
        }
        guard ScreenshotName(parsing: screenshotTemplate) != nil else {
            throw ValidationError(
                "--screenshot-template=\(screenshotTemplate) is not a valid template; see swiftplay(1).")
        }
    }

    /// The settings that the options describe. The options must be valid.
    var settings: ScreenshotSettings {
        ScreenshotSettings(
            format: StillEncoder.Format(name: screenshotFormat) ?? .png,
            name: ScreenshotName(parsing: screenshotTemplate) ?? ScreenshotName(), directory: screenshotDirectory)
    }
}

/// The settings for screenshots, as the command line sets them.
struct ScreenshotSettings: Sendable {
    var format = StillEncoder.Format.png
    var name = ScreenshotName()
    /// The folder of the screenshots; nil for the working directory.
    var directory: String?
}
