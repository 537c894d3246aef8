import CompositorProtocol
import FoundationEssentials
import Glibc
import MediaPipeline
import SwiftPlayKit
import SystemCalls

/// The properties of the program itself: its version, what it supports, its role and its memory.
extension PlayerProperty {
    static let program: [PlayerProperty] = identity + capabilities + resources

    private static let identity: [PlayerProperty] = [
        PlayerProperty("pid", .integer(), changes: .never) { _ in .int(Int64(getpid())) },
        // Clients compare the version with mpv's to decide which commands exist.
        PlayerProperty("mpv-version", .text, changes: .never) { _ in
            .string("mpv 0.35.0 (\(PlayOptions.configuration.version))")
        },
        PlayerProperty("mpv-configuration", .text, changes: .never) { _ in
            .string(PlayOptions.configuration.version)
        },
        PlayerProperty("ffmpeg-version", .text, changes: .never) { _ in .string(FFmpegInformation.version) },
        PlayerProperty("libass-version", .integer(), changes: .never) { _ in .integer(Player.subtitleLibraryVersion) },
        PlayerProperty("working-directory", .text, changes: .never) { _ in
            .string(FileManager.default.currentDirectoryPath)
        },
        PlayerProperty("user-data", .object) {
            $0.state.userData.root
        } readPart: { context, path throws(IPCError) in
            try context.state.userData.value(at: path)
        } write: { context, value throws(IPCError) in
            try context.target.setUserData(value, at: [])
        },
    ]

    private static let capabilities: [PlayerProperty] = [
        PlayerProperty("property-list", .list, changes: .never) { _ in .texts(PropertyTable.names) },
        PlayerProperty("command-list", .list, changes: .never) { _ in
            .array(PlayerCommand.all.map(\.description))
        },
        PlayerProperty("options", .list, changes: .never) { _ in
            .texts(PropertyTable.optionNames)
        } readPart: { context, path throws(IPCError) in
            guard let name = path.first, let property = PropertyTable.properties[name], property.isOption else {
                throw .propertyNotFound
            }
            return try property.value(at: path.dropFirst(), context)
        },
        PlayerProperty("file-local-options", .object) { _ in
            nil
        } readPart: { context, path throws(IPCError) in
            guard let name = path.first, let property = PropertyTable.properties[name], property.isOption else {
                throw .propertyNotFound
            }
            return try property.value(at: path.dropFirst(), context)
        },
        PlayerProperty("option-info", .object, changes: .never) { _ in
            nil
        } readPart: { _, path throws(IPCError) in
            guard let name = path.first, let property = PropertyTable.properties[name], property.isOption else {
                throw .propertyNotFound
            }
            return try PropertyPath.value(at: path.dropFirst(), in: .object(property.optionInformation))
        },
        PlayerProperty("input-bindings", .list) { context in
            .array(KeyBindings.descriptions(context.state.keyMap, addedBindings: context.state.keyBindings))
        },
        PlayerProperty("input-key-list", .list, changes: .never) { _ in .texts(KeyName.specialNames) },
        PlayerProperty("demuxer-lavf-list", .list, changes: .never) { _ in
            .texts(FFmpegInformation.demuxers.flatMap { $0.split(separator: ",").map(String.init) })
        },
        PlayerProperty("decoder-list", .list, changes: .never) { _ in
            .array(
                FFmpegInformation.decoders.map { decoder in
                    .object([
                        "codec": .string(decoder.codec), "driver": .string(decoder.name),
                        "description": .string(decoder.description),
                    ])
                })
        },
        PlayerProperty("protocol-list", .list, changes: .never) { _ in ["file", "http", "https"] },
        PlayerProperty("profile-list", .list, changes: .never) { _ in [] },
    ]

    /// The object that `option-info/NAME` returns.
    private var optionInformation: [String: JSONValue] {
        var members: [String: JSONValue] = ["name": .string(name), "type": .string(type.name)]
        if let range = type.range {
            (members["min"], members["max"]) = (.double(range.lowerBound), .double(range.upperBound))
        }
        if case .choice(let choices) = type { members["choices"] = .texts(choices) }
        return members
    }

    private static let resources: [PlayerProperty] = [
        PlayerProperty("program-role", .text) { _ in
            switch Application.shared.role {
            case .none: "none"
            case .backgroundMedia: "background"
            case .secondary: "secondary"
            case .primary: "primary"
            }
        },
        PlayerProperty("memory-pressure", .text) { _ in
            switch Application.shared.memoryPressure {
            case .normal: "normal"
            case .warning: "warning"
            case .critical: "critical"
            }
        },
        PlayerProperty("program-memory", .object, changes: .withPlayback) { _ in programMemory },
    ]

    /// The program's memory budget and memory usage, in bytes, and its last memory warning.
    private static var programMemory: JSONValue {
        let status = Application.shared.memoryStatus, report = status.report
        var fields: [String: JSONValue] = [
            "budget": .int(status.budget), "frames": .int(report.frameBytes), "packets": .int(report.packetBytes),
            "caches": .int(report.cacheBytes),
        ]
        if let usage = status.usage {
            (fields["dirty"], fields["clean"]) = (.int(Int64(usage.dirty)), .int(Int64(usage.clean)))
        }
        if let warning = report.warning {
            fields["last-warning-age"] = .double(Double(warning.age) / 1e9)
            fields["last-warning-released"] = .int(warning.releasedBytes)
        }
        return .object(fields)
    }
}
