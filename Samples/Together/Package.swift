// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Together",
    dependencies: [
        // The name is given since a package at a path is otherwise called what its folder is called.
        .package(name: "SwiftPlay", path: "../..")
    ],
    targets: [
        .target(name: "Tones"),
        .executableTarget(name: "Game", dependencies: ["Tones", .product(name: "SwiftPlay", package: "SwiftPlay")]),
        .executableTarget(name: "Prompt", dependencies: ["Tones", .product(name: "SwiftPlay", package: "SwiftPlay")]),
    ]
)
