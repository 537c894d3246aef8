// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Together",
    dependencies: [
        // Without a name, a package at a path takes the name of its folder.
        .package(name: "SwiftPlay", path: "../..")
    ],
    targets: [
        .target(name: "Tones"),
        .executableTarget(name: "Game", dependencies: ["Tones", .product(name: "SwiftPlay", package: "SwiftPlay")]),
        .executableTarget(name: "Prompt", dependencies: ["Tones", .product(name: "SwiftPlay", package: "SwiftPlay")]),
    ]
)
