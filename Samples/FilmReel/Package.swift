// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "FilmReel",
    products: [.executable(name: "film-reel", targets: ["FilmReel"])],
    dependencies: [
        // Without a name, a package at a path takes the name of its folder.
        .package(name: "SwiftPlay", path: "../..")
    ],
    targets: [
        .systemLibrary(
            name: "CWallWindow",
            providers: [.apt(["libcairo2-dev", "libxcb1-dev", "libxcb-shm0-dev", "libxcb-keysyms1-dev"])]),
        .executableTarget(
            name: "FilmReel",
            dependencies: [
                "CWallWindow",
                .product(name: "SwiftPlayKit", package: "SwiftPlay"),
                // This program is not linked. The dependency builds it into the same folder, where the library finds
                // it.
                .product(name: "swiftplay-compositor", package: "SwiftPlay"),
            ]),
        .testTarget(name: "FilmReelTests", dependencies: ["FilmReel"]),
    ]
)
