// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Reel",
    dependencies: [
        // Without a name, a package at a path takes the name of its folder.
        .package(name: "SwiftPlay", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "Reel", dependencies: [.product(name: "SwiftPlay", package: "SwiftPlay")], path: "Sources")
    ]
)
