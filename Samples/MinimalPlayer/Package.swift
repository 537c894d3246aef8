// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "MinimalPlayer",
    dependencies: [
        // Without a name, a package at a path takes the name of its folder.
        .package(name: "SwiftPlay", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "MinimalPlayer",
            dependencies: [
                .product(name: "SwiftPlayKit", package: "SwiftPlay"),
                // This program is not linked. The dependency builds it into the same folder, where the library finds
                // it.
                .product(name: "swiftplay-compositor", package: "SwiftPlay"),
            ],
            path: "Sources")
    ]
)
