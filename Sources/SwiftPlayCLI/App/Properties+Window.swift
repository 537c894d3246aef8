import SharedFrames
import SwiftPlayKit
import VideoOutput

/// The properties of the window or terminal that shows the picture, and of Picture-in-Picture.
extension PlayerProperty {
    static let window: [PlayerProperty] = display + pictureInPicture

    private static let display: [PlayerProperty] = [
        fullScreen, fullScreen.renamed("fs"),
        PlayerProperty("current-vo", .text) { .text($0.output?.name) },
        PlayerProperty("vo", .list, isOption: true) { outputList($0.output?.name) },
        PlayerProperty("vo-configured", .flag) { .bool($0.output != nil) },
        PlayerProperty("osd-width", .integer(), changes: .withPlayback) { .integer($0.output?.size.width ?? 0) },
        PlayerProperty("osd-height", .integer(), changes: .withPlayback) { .integer($0.output?.size.height ?? 0) },
        PlayerProperty("osd-par", .number(), changes: .withPlayback) { .double($0.output == nil ? 0 : 1) },
        PlayerProperty("osd-dimensions", .object, changes: .withPlayback) { dimensions($0) },
        PlayerProperty("current-window-scale", .number(), changes: .withPlayback) { windowScale($0) },
        PlayerProperty("focused", .flag, changes: .withPlayback) { context in
            context.output.map { .bool($0.windowOutput?.hasFocus ?? true) }
        },
        PlayerProperty("title", .text, isOption: true) { context in
            .string(context.state.settings.title ?? defaultTitle)
        } write: { context, value throws(IPCError) in
            let title = try value.propertyText()
            context.target.changeSettings { $0.title = title == defaultTitle ? nil : title }
            context.target.runOnMainQueue { app in
                if let item = app.player.currentItem { app.viewController?.window.title = app.title(of: item) }
            }
        },
        PlayerProperty("geometry", .text, isOption: true) { .string($0.state.settings.geometry ?? "") },
        PlayerProperty("stop-screensaver", .flag, isOption: true) {
            .bool($0.player.preventsDisplaySleepDuringVideoPlayback)
        } write: { context, value throws(IPCError) in
            context.player.preventsDisplaySleepDuringVideoPlayback = try value.propertyFlag()
        },
    ]

    /// Returns the list of the one output in use, as in mpv's options `vo` and `ao`; empty without a name.
    static func outputList(_ name: String?) -> JSONValue {
        .array(name.map { [["name": .string($0), "enabled": true, "params": [:]]] } ?? [])
    }

    /// The title without `--title`, in mpv's syntax.
    private static let defaultTitle = "${media-title} - swiftplay"

    private static let fullScreen = PlayerProperty("fullscreen", .flag, isOption: true) {
        .bool($0.state.isFullScreen)
    } write: { context, value throws(IPCError) in
        let isFullScreen = try value.propertyFlag()
        context.target.runOnMainQueue { $0.viewController?.window.isFullScreen = isFullScreen }
    }

    /// Returns the size of the drawing area and the widths of the bars around the picture, in pixels.
    private static func dimensions(_ context: PropertyContext) -> JSONValue? {
        guard let output = context.output, !output.size.isEmpty else { return nil }
        let size = output.size
        var object: [String: JSONValue] = [
            "w": .int(Int64(size.width)), "h": .int(Int64(size.height)), "par": 1.0,
            "aspect": .double(Double(size.width) / Double(size.height)),
        ]
        if let format = context.target.layer?.router.currentFrame?.format {
            let picture = OverlayGeometry(size: size, format: format, gravity: output.gravity).pictureRect
            object["ml"] = .int(Int64(picture.x))
            object["mt"] = .int(Int64(picture.y))
            object["mr"] = .int(Int64(size.width - picture.x - picture.width))
            object["mb"] = .int(Int64(size.height - picture.y - picture.height))
        }
        return .object(object)
    }

    /// Returns the size of the window as a multiple of the picture's size; nil without a window.
    private static func windowScale(_ context: PropertyContext) -> JSONValue? {
        guard let output = context.output, output.windowOutput != nil,
            let picture = context.openItem?.presentationSize, picture.width > 0, picture.height > 0
        else { return nil }
        return .double(
            min(
                Double(output.size.width) / Double(picture.width),
                Double(output.size.height) / Double(picture.height)))
    }

    private static let pictureInPicture: [PlayerProperty] = [
        PlayerProperty("picture-in-picture", .flag) {
            .bool($0.state.isInPictureInPicture)
        } write: { context, value throws(IPCError) in
            let isActive = try value.propertyFlag()
            guard !isActive || context.state.isPictureInPicturePossible else { throw .propertyUnavailable }
            context.target.runOnMainQueue { $0.setPictureInPicture(isActive) }
        },
        PlayerProperty("picture-in-picture-possible", .flag) { .bool($0.state.isPictureInPicturePossible) },
        PlayerProperty("picture-in-picture-stalled", .flag, changes: .withPlayback) {
            .bool($0.state.isPictureInPictureStalled)
        },
    ]
}
