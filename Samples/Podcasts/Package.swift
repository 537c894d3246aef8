// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Podcasts",
    products: [.executable(name: "podcasts", targets: ["Podcasts"])],
    dependencies: [
        // Without a name, a package at a path takes the name of its folder.
        .package(name: "SwiftPlay", path: "../..")
    ],
    targets: [
        .systemLibrary(name: "CFeedXML", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .executableTarget(
            name: "Podcasts",
            dependencies: [
                "CFeedXML",
                .product(name: "SwiftPlay", package: "SwiftPlay"),
                .product(name: "SwiftPlayBackground", package: "SwiftPlay"),
                // These programs are not linked. The dependency builds them into the same folder, where the libraries
                // find them.
                .product(name: "swiftplay-compositor", package: "SwiftPlay"),
                .product(name: "swiftplay-backgroundd", package: "SwiftPlay"),
                .product(name: "swiftplay-transfer", package: "SwiftPlay"),
            ]),
        .testTarget(name: "PodcastsTests", dependencies: ["Podcasts"]),
    ]
)
