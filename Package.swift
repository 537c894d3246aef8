// swift-tools-version: 6.0
import PackageDescription

// Every arrow points down this list: ARCHITECTURE.md has the table.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
]

/// Returns a program for the tests.
func probe(_ name: String, _ dependencies: [Target.Dependency], in folder: String = "Tests/") -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: folder + name, swiftSettings: strict)
}

/// Returns a module that several test targets share.
func support(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/" + name, swiftSettings: strict)
}

let package = Package(
    name: "SwiftPlay",
    products: [
        .library(name: "SwiftPlay", targets: ["SwiftPlay"]),
        .library(name: "SwiftPlayKit", targets: ["SwiftPlayKit"]),
        .library(name: "SwiftPlayBackground", targets: ["SwiftPlayBackground"]),
        .executable(name: "swiftplay", targets: ["SwiftPlayCLI"]),
        .executable(name: "swiftplay-compositor", targets: ["SwiftPlayCompositor"]),
        .executable(name: "swiftplay-transfer", targets: ["SwiftPlayTransfer"]),
        .executable(name: "swiftplay-backgroundd", targets: ["SwiftPlayBackgroundDaemon"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    ],
    targets: [
        // C libraries: a module map and the few lines Swift cannot import.
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CFFmpeg", pkgConfig: "libavformat", providers: [.apt(["libavformat-dev"])]),
        .systemLibrary(name: "CSwscale", pkgConfig: "libswscale", providers: [.apt(["libswscale-dev"])]),
        .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
        .systemLibrary(name: "CUdev", pkgConfig: "libudev", providers: [.apt(["libudev-dev"])]),
        .systemLibrary(name: "CSonic", providers: [.apt(["libsonic-dev"])]),
        .systemLibrary(
            name: "CXCB", pkgConfig: "xcb",
            providers: [.apt(["libxcb1-dev", "libxcb-screensaver0-dev", "libxcb-ewmh-dev"])]),
        .systemLibrary(
            name: "CXKB", pkgConfig: "xkbcommon-x11",
            providers: [.apt(["libxkbcommon-dev", "libxkbcommon-x11-dev", "libxcb-xkb-dev"])]),
        .systemLibrary(name: "CChafa", pkgConfig: "chafa", providers: [.apt(["libchafa-dev"])]),
        .systemLibrary(name: "CASS", pkgConfig: "libass", providers: [.apt(["libass-dev"])]),
        .systemLibrary(name: "CUchardet", pkgConfig: "uchardet", providers: [.apt(["libuchardet-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CCairo", pkgConfig: "cairo", providers: [.apt(["libcairo2-dev"])]),
        // Without pkg-config, whose flags for it the package manager refuses.
        .systemLibrary(name: "CPango", providers: [.apt(["libpango1.0-dev"])]),
        // Without pkg-config, whose flags for it the package manager refuses; its headers are where every compiler
        // looks. Only the compositor links the library; other programs load it to list devices.
        .systemLibrary(name: "CPulse", providers: [.apt(["libpulse-dev"])]),
        // Both without pkg-config, whose flags for their many dependencies are needed only for static linking.
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),

        .target(name: "SystemCalls", dependencies: ["CLinux"], swiftSettings: strict),
        .target(name: "SharedFrames", dependencies: ["SystemCalls"], swiftSettings: strict),
        .target(
            name: "HTTPTransfer",
            dependencies: ["SystemCalls", "CCurl", .product(name: "DequeModule", package: "swift-collections")],
            swiftSettings: strict),
        .target(name: "StreamPlaylists", swiftSettings: strict),
        .target(
            name: "MediaPipeline",
            dependencies: [
                "HTTPTransfer", "StreamPlaylists", "SharedFrames", "SystemCalls", "CFFmpeg", "CUchardet", "CExpat",
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: strict),
        .target(
            name: "Subtitles", dependencies: ["MediaPipeline", "SharedFrames", "SystemCalls", "CASS"],
            swiftSettings: strict),
        .target(name: "AudioPolicy", swiftSettings: strict),
        .target(name: "TransferPolicy", swiftSettings: strict),
        .target(name: "FetchPolicy", swiftSettings: strict),
        .target(name: "FetchSimulation", dependencies: ["FetchPolicy"], swiftSettings: strict),
        .target(name: "PushPolicy", swiftSettings: strict),
        .target(name: "PushEncryption", dependencies: ["COpenSSL"], swiftSettings: strict),
        .target(
            name: "AudioOutput", dependencies: ["AudioPolicy", "SystemCalls", "CALSA", "CPulse", "CUdev", "CSonic"],
            swiftSettings: strict),
        .target(
            name: "VideoOutput",
            dependencies: ["SharedFrames", "SystemCalls", "CSwscale", "CXCB", "CXKB", "CChafa"],
            swiftSettings: strict),
        .target(name: "DesktopBus", dependencies: ["SystemCalls", "CSystemd"], swiftSettings: strict),
        .target(name: "WireFormat", dependencies: ["SystemCalls"], swiftSettings: strict),
        .target(name: "LedgerStore", dependencies: ["SystemCalls", "CSQLite"], swiftSettings: strict),
        .target(
            name: "CompositorProtocol", dependencies: ["AudioPolicy", "WireFormat", "SharedFrames", "SystemCalls"],
            exclude: ["README.md"], swiftSettings: strict),
        .target(
            name: "BackgroundProtocol", dependencies: ["TransferPolicy", "WireFormat", "SystemCalls"],
            swiftSettings: strict),
        .target(
            name: "TransferEngine",
            dependencies: [
                "TransferPolicy", "StreamPlaylists", "BackgroundProtocol", "HTTPTransfer", "WireFormat", "SystemCalls",
                "CLinux", "CCurl", "COpenSSL",
            ],
            swiftSettings: strict, linkerSettings: [.linkedLibrary("ssl")]),
        .target(
            name: "BackgroundService",
            dependencies: [
                "TransferPolicy", "FetchPolicy", "PushPolicy", "LedgerStore", "BackgroundProtocol", "DesktopBus",
                "WireFormat", "SystemCalls", .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .target(
            name: "SwiftPlayBackground",
            dependencies: [
                "PushEncryption", "BackgroundProtocol", "WireFormat", "SystemCalls",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .target(
            name: "Compositor",
            dependencies: [
                "AudioPolicy", "PushPolicy", "AudioOutput", "CompositorProtocol", "WireFormat", "DesktopBus",
                "VideoOutput", "SharedFrames", "SystemCalls", "CXCB", "CCairo", "CPulse",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict, linkerSettings: [.linkedLibrary("pulse")]),
        .target(
            name: "SwiftPlay",
            dependencies: [
                "HTTPTransfer", "StreamPlaylists", "MediaPipeline", "Subtitles", "AudioPolicy", "AudioOutput",
                "VideoOutput", "CompositorProtocol", "WireFormat", "DesktopBus", "SharedFrames", "SystemCalls",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .target(
            name: "SwiftPlayKit",
            dependencies: [
                "SwiftPlay", "VideoOutput", "CompositorProtocol", "SharedFrames", "SystemCalls", "CCairo", "CPango",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "SwiftPlayCLI",
            dependencies: [
                "SwiftPlayKit", "SwiftPlay", "SwiftPlayBackground", "BackgroundProtocol", "FetchSimulation",
                "CompositorProtocol", "AudioPolicy", "MediaPipeline", "Subtitles", "SharedFrames", "VideoOutput",
                "SystemCalls", .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "SwiftPlayCompositor",
            dependencies: ["Compositor", "SystemCalls", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),
        .executableTarget(
            name: "SwiftPlayBackgroundDaemon",
            dependencies: ["BackgroundService", "SystemCalls", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),
        .executableTarget(name: "SwiftPlayTransfer", dependencies: ["TransferEngine"], swiftSettings: strict),

        .systemLibrary(
            name: "CXTest", path: "Tests/CXTest", pkgConfig: "xcb-xtest", providers: [.apt(["libxcb-xtest0-dev"])]),
        support("TestSupport", ["StreamPlaylists", "DesktopBus", "SystemCalls", "CLinux", "CXCB", "CXTest"]),
        .testTarget(name: "ProjectTests", swiftSettings: strict),
        .testTarget(name: "SystemCallsTests", dependencies: ["SystemCalls", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "SharedFramesTests", dependencies: ["SharedFrames", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "HTTPTransferTests", dependencies: ["HTTPTransfer", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "StreamPlaylistsTests", dependencies: ["StreamPlaylists", "TestSupport"], swiftSettings: strict),
        support("MediaTrial", ["MediaPipeline", "SharedFrames", "SystemCalls"]),
        .testTarget(
            name: "MediaPipelineTests",
            dependencies: ["MediaPipeline", "StreamPlaylists", "MediaTrial", "VideoOutput", "CFFmpeg", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "SubtitlesTests", dependencies: ["Subtitles", "MediaPipeline", "SharedFrames"],
            swiftSettings: strict),
        .testTarget(name: "AudioPolicyTests", dependencies: ["AudioPolicy"], swiftSettings: strict),
        .testTarget(
            name: "TransferPolicyTests", dependencies: ["TransferPolicy", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "FetchPolicyTests", dependencies: ["FetchPolicy", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "FetchSimulationTests", dependencies: ["FetchSimulation", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "PushPolicyTests", dependencies: ["PushPolicy", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "PushEncryptionTests", dependencies: ["PushEncryption", "COpenSSL", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "AudioOutputTests", dependencies: ["AudioOutput", "AudioPolicy", "TestSupport"], swiftSettings: strict
        ),
        .testTarget(name: "VideoOutputTests", dependencies: ["VideoOutput", "TestSupport"], swiftSettings: strict),
        probe("ForeignPlayer", ["DesktopBus", "SystemCalls"]),
        .testTarget(
            name: "DesktopBusTests", dependencies: ["DesktopBus", "SystemCalls", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "LedgerStoreTests", dependencies: ["LedgerStore", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "WireFormatTests", dependencies: ["WireFormat"], swiftSettings: strict),
        .testTarget(
            name: "CompositorProtocolTests", dependencies: ["CompositorProtocol", "AudioPolicy", "TestSupport"],
            swiftSettings: strict),
        support("BackgroundProtocolSamples", ["BackgroundProtocol"]),
        .testTarget(
            name: "BackgroundProtocolTests",
            dependencies: ["BackgroundProtocolSamples", "BackgroundProtocol", "TransferPolicy", "TestSupport"],
            swiftSettings: strict),
        probe("SandboxProbe", ["TransferEngine", "SystemCalls", "CLinux"]),
        .testTarget(
            name: "TransferEngineTests",
            dependencies: [
                "TransferEngine", "TransferPolicy", "BackgroundProtocol", "WireFormat", "SystemCalls", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BackgroundServiceTests",
            dependencies: [
                "BackgroundService", "TransferPolicy", "FetchPolicy", "PushPolicy", "LedgerStore", "BackgroundProtocol",
                "DesktopBus", "WireFormat", "SystemCalls", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SwiftPlayBackgroundTests",
            dependencies: [
                "SwiftPlayBackground", "PushEncryption", "BackgroundProtocol", "WireFormat", "SystemCalls",
                "TestSupport",
            ],
            swiftSettings: strict),
        probe("BackgroundProbe", ["ProbeSupport", "SwiftPlayBackground", "SystemCalls"]),
        .testTarget(name: "CompositorTests", dependencies: ["Compositor", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "SwiftPlayTests",
            dependencies: ["SwiftPlay", "HTTPTransfer", "DesktopBus", "ProbeSupport", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "SwiftPlayKitTests",
            dependencies: ["SwiftPlayKit", "Compositor", "CompositorProtocol", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "SwiftPlayCLITests", dependencies: ["SwiftPlayCLI", "TestSupport"], swiftSettings: strict),
        support("ProbeSupport"),
        probe("PictureInPictureProbe", ["ProbeSupport", "SwiftPlayKit", "SwiftPlay", "SystemCalls"]),
        probe("AudioSessionProbe", ["ProbeSupport", "SwiftPlay", "SwiftPlayBackground", "AudioPolicy", "SystemCalls"]),
        probe("MappedStoreProbe", ["ProbeSupport", "SwiftPlay"]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "TestSupport", "DesktopBus", "CompositorProtocol", "BackgroundProtocolSamples", "BackgroundProtocol",
                "PushEncryption", "WireFormat", "SharedFrames", "SystemCalls", "CXCB",
            ],
            swiftSettings: strict),
    ]
)

// libFuzzer is linked by scripts/fuzz alone.
if Context.environment["SWIFTPLAY_FUZZING"] != nil {
    package.targets += [
        .target(name: "CFuzzer", path: "Tests/Fuzzing/CFuzzer"),
        probe("MediaFuzzer", ["CFuzzer", "MediaTrial"], in: "Tests/Fuzzing/"),
    ]
}

// Built by scripts/check-leaks alone.
if Context.environment["SWIFTPLAY_ENDURANCE"] != nil {
    package.targets.append(probe("Endurance", ["SwiftPlayKit", "SwiftPlay", "SystemCalls"]))
}

// Built by scripts/stress alone.
if Context.environment["SWIFTPLAY_SIEGE"] != nil {
    package.targets.append(probe("HangingProgram", ["SwiftPlayKit"], in: "Tests/Siege/"))
}

// Each sample is a package of its own. scripts/test builds them as targets of this package, which is planned once then.
if Context.environment["SWIFTPLAY_SAMPLES"] != nil {
    func sample(_ name: String, _ dependencies: [Target.Dependency], path: String) -> Target {
        .executableTarget(name: name, dependencies: dependencies, path: "Samples/" + path, packageAccess: false)
    }
    func tests(of name: String) -> Target {
        let path = "Samples/\(name)/Tests/\(name)Tests"
        return .testTarget(
            name: name + "Tests", dependencies: [.init(stringLiteral: name)], path: path, packageAccess: false)
    }
    package.targets += [
        sample("MinimalPlayer", ["SwiftPlayKit"], path: "MinimalPlayer/Sources"),
        sample("Reel", ["SwiftPlay"], path: "Reel/Sources"),
        .target(name: "Tones", path: "Samples/Together/Sources/Tones", packageAccess: false),
        sample("Game", ["Tones", "SwiftPlay"], path: "Together/Sources/Game"),
        sample("Prompt", ["Tones", "SwiftPlay"], path: "Together/Sources/Prompt"),
        .systemLibrary(name: "CWallWindow", path: "Samples/FilmReel/Sources/CWallWindow"),
        sample("FilmReel", ["CWallWindow", "SwiftPlayKit"], path: "FilmReel/Sources/FilmReel"),
        tests(of: "FilmReel"),
        .systemLibrary(name: "CFeedXML", path: "Samples/Podcasts/Sources/CFeedXML", pkgConfig: "expat"),
        sample("Podcasts", ["CFeedXML", "SwiftPlay", "SwiftPlayBackground"], path: "Podcasts/Sources/Podcasts"),
        tests(of: "Podcasts"),
        .testTarget(name: "SampleTests", dependencies: ["SystemCalls", "TestSupport"], swiftSettings: strict),
    ]
}
