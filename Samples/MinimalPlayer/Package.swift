// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "MinimalPlayer",
    dependencies: [
        // The name is given since a package at a path is otherwise called what its folder is called.
        .package(name: "SwiftPlay", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "MinimalPlayer",
            dependencies: [
                .product(name: "SwiftPlayKit", package: "SwiftPlay"),
                // Not linked: named here so that it is built, and lies beside the program, where the library looks for
                // it.
                .product(name: "swiftplay-compositor", package: "SwiftPlay"),
            ],
            path: "Sources")
    ]
)
