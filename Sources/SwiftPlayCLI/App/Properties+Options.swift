import SwiftPlayKit

/// The properties that are options of mpv for the window, and for the beginning, the end and the sound of playback.
extension PlayerProperty {
    static let options: [PlayerProperty] = windowOptions + playbackOptions + audioOptions

    private static let windowOptions: [PlayerProperty] = [
        PlayerProperty("ontop", .flag, isOption: true) {
            .bool($0.state.settings.window.isOnTop)
        } write: { context, value throws(IPCError) in
            let isOnTop = try value.propertyFlag()
            context.target.changeSettings { $0.window.isOnTop = isOnTop }
            context.target.runOnMainQueue { $0.viewController?.window.isOnTop = isOnTop }
        },
        PlayerProperty("border", .flag, isOption: true) {
            .bool($0.state.settings.window.hasBorder)
        } write: { context, value throws(IPCError) in
            let hasBorder = try value.propertyFlag()
            context.target.changeSettings { $0.window.hasBorder = hasBorder }
            context.target.runOnMainQueue { $0.viewController?.window.hasBorder = hasBorder }
        },
        PlayerProperty("window-scale", .number(0.1...10), isOption: true) {
            .double($0.state.settings.window.scale)
        } write: { context, value throws(IPCError) in
            let scale = try value.propertyNumber(in: 0.1...10)
            context.target.changeSettings { $0.window.scale = scale }
            context.target.runOnMainQueue { $0.viewController?.window.scale = scale }
        },
        PlayerProperty("window-minimized", .flag, isOption: true) {
            .bool($0.state.settings.window.isMinimized)
        } write: { context, value throws(IPCError) in
            let isMinimized = try value.propertyFlag()
            context.target.changeSettings { $0.window.isMinimized = isMinimized }
            context.target.runOnMainQueue { app in
                if isMinimized { app.viewController?.window.minimize() } else { app.viewController?.window.activate() }
            }
        },
        PlayerProperty("window-maximized", .flag, isOption: true) {
            .bool($0.state.settings.window.isMaximized)
        } write: { context, value throws(IPCError) in
            let isMaximized = try value.propertyFlag()
            context.target.changeSettings { $0.window.isMaximized = isMaximized }
            context.target.runOnMainQueue { $0.viewController?.window.setMaximized(isMaximized) }
        },
        PlayerProperty("auto-window-resize", .flag, isOption: true) {
            .bool($0.state.settings.window.resizesForNextFile)
        } write: { context, value throws(IPCError) in
            let resizes = try value.propertyFlag()
            context.target.changeSettings { $0.window.resizesForNextFile = resizes }
            context.target.runOnMainQueue { $0.viewController?.window.resizesForNewItems = resizes }
        },
        PlayerProperty("keepaspect-window", .flag, isOption: true, changes: .never) {
            .bool($0.state.settings.window.keepsAspectRatio)
        },
        PlayerProperty("screen", .text, isOption: true, changes: .never) {
            $0.state.settings.window.monitorIndex.map { .int(Int64($0)) } ?? "default"
        },
        PlayerProperty("fs-screen", .text, isOption: true) { context in
            switch context.state.settings.window.fullScreenMonitor {
            case .current: "current"
            case .all: "all"
            case .index(let index): .int(Int64(index))
            }
        } write: { context, value throws(IPCError) in
            guard let monitor = WindowOptions.fullScreenMonitor(value.propertyString) else { throw .propertyFormat }
            context.target.changeSettings { $0.window.fullScreenMonitor = monitor }
            context.target.runOnMainQueue { $0.viewController?.window.fullScreenMonitor = monitor }
        },
        PlayerProperty("force-window", .flag, isOption: true, changes: .never) {
            .bool($0.state.settings.forcesWindow)
        },
    ]

    private static let playbackOptions: [PlayerProperty] = [
        PlayerProperty("idle", .choice(["no", "yes", "once"]), isOption: true, changes: .never) { context in
            switch context.state.settings.playback.idleMode {
            case .no: false
            case .once: "once"
            case .yes: true
            }
        },
        PlayerProperty("length", .text, isOption: true, changes: .never) {
            $0.state.settings.playback.length.map { .double($0) } ?? "none"
        },
        PlayerProperty("image-display-duration", .text, isOption: true, changes: .never) { context in
            let duration = context.state.settings.playback.imageDuration
            return duration.isFinite ? .double(duration) : "inf"
        },
        PlayerProperty("save-position-on-quit", .flag, isOption: true) {
            .bool($0.state.settings.playback.savesPosition)
        } write: { context, value throws(IPCError) in
            let savesPosition = try value.propertyFlag()
            context.target.changeSettings { $0.playback.savesPosition = savesPosition }
        },
        PlayerProperty("resume-playback", .flag, isOption: true) {
            .bool($0.state.settings.playback.resumes)
        } write: { context, value throws(IPCError) in
            let resumes = try value.propertyFlag()
            context.target.changeSettings { $0.playback.resumes = resumes }
        },
        PlayerProperty("untimed", .flag, isOption: true, changes: .never) { .bool($0.state.settings.isUntimed) },
    ]

    private static let audioOptions: [PlayerProperty] = [
        PlayerProperty("volume-max", .number(100...1000), isOption: true, changes: .never) {
            .double($0.state.settings.audio.maximumVolume)
        },
        PlayerProperty("audio-delay", .delay, isOption: true) {
            .double($0.player.audioDelay.seconds)
        } write: { context, value throws(IPCError) in
            context.player.audioDelay = MediaTime(seconds: try value.propertyNumber(in: -60...60))
        },
        PlayerProperty("replaygain", .choice(["no", "track", "album"]), isOption: true, changes: .never) { context in
            let mode = context.state.settings.audio.replayGain.mode
            return mode == .no ? false : .string(mode.rawValue)
        },
        PlayerProperty("sub-pos", .number(0...150), isOption: true) {
            .double($0.player.subtitlePosition)
        } write: { context, value throws(IPCError) in
            context.player.subtitlePosition = try value.propertyNumber(in: 0...150)
        },
    ]
}
