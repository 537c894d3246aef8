// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "GTKPlayer",
    products: [.executable(name: "gtk-player", targets: ["GTKPlayer"])],
    dependencies: [
        // Without a name, a package at a path takes the name of its folder.
        .package(name: "SwiftPlay", path: "../..")
    ],
    targets: [
        .systemLibrary(name: "CGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
        .target(name: "CFramePaintable", dependencies: ["CGTK"]),
        .executableTarget(
            name: "GTKPlayer",
            dependencies: [
                "CFramePaintable",
                "CGTK",
                .product(name: "SwiftPlayKit", package: "SwiftPlay"),
                // This program is not linked. The dependency builds it into the same folder, where the library finds
                // it.
                .product(name: "swiftplay-compositor", package: "SwiftPlay"),
            ]),
    ]
)
