// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Reel",
    dependencies: [
        // The name is given since a package at a path is otherwise called what its folder is called.
        .package(name: "SwiftPlay", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "Reel", dependencies: [.product(name: "SwiftPlay", package: "SwiftPlay")], path: "Sources")
    ]
)
